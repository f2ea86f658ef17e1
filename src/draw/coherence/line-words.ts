/** An event of a line in one or two sentences: the parts, the states before and after, and the cause. */
import { address } from '../../base/format';
import { RUNWAY_HALF, RUNWAY_LINE } from '../../engine/gen/constants';
import { PAGE_BYTES, PAGE_LINES } from '../../model/coherence/coherence-roles';
import {
  CURRENT,
  INVALID,
  type LineEvent,
  LineStory,
  type LineTransaction,
  STALE,
} from '../../model/coherence/line-story';
import { bad, type Phrase, plain, strong, textOf } from '../phrase';
import { type LineState, STATE_NAMES, stateOf } from '../state-cell';

/** Titles of the machine's parts. */
export type TitleOf = (part: number | null) => string;

export const pageName = (line: number): string =>
  `page ${address(((line - (line % PAGE_LINES)) * RUNWAY_LINE) / PAGE_BYTES)}`;

export const lineName = (line: number): string => `line ${line % PAGE_LINES} of ${pageName(line)}`;

export const transactionName = ({ title, number }: LineTransaction): string =>
  number === null ? title : `${title} #${number}`;

/** How a state is drawn; null for up-to-date memory, which is an empty cell. */
export const drawnState = (name: string | null): LineState | null =>
  name === null || name === CURRENT ? null : name === STALE ? 'stale' : stateOf(name);

const stateName = (name: string | null): string =>
  name === CURRENT ? 'up to date' : STATE_NAMES[drawnState(name ?? INVALID) ?? 'invalid'];

function asked(event: LineEvent, transaction: LineTransaction, title: TitleOf): Phrase[] {
  const who = title(transaction.by);
  const where = lineName(event.line);
  const name = transactionName(transaction);
  if (LineStory.writes(transaction)) {
    const isHalf = transaction.type === 'write16_purge';
    const half = transaction.address % RUNWAY_LINE >= RUNWAY_HALF ? 'the upper half' : 'half';
    const what = isHalf ? `${half} of ${where}` : where;
    return [
      strong(who),
      plain(` writes ${what}: ${name} is on the bus. `),
      ...(event.from === null
        ? [plain('No cache holds the line; only memory changes.')]
        : [
            plain(`${title(event.part)} still holds it `),
            strong(stateName(event.from)),
            plain('.'),
          ]),
    ];
  }
  if (transaction.type === 'write_back')
    return [strong(who), plain(` writes ${where} back: ${name} is on the bus.`)];
  if (event.to === event.from)
    return [
      strong(who),
      plain(`: ${name} for ${where} is on the bus. ${title(event.part)} holds it `),
      strong(stateName(event.from)),
      plain('.'),
    ];
  return [
    strong(who),
    plain(` requests ${where}: ${name}. Its cell in ${title(event.part)} waits, `),
    strong(stateName(event.to)),
    plain(', until the data arrives.'),
  ];
}

const REASONS: Readonly<Record<NonNullable<LineEvent['reason']>, string>> = {
  store: 'because its processor stores to it',
  room: 'to make room for another line',
  merge: 'because a device’s bytes are merged into it',
  passed: 'because the device has read it',
  unused: 'because the device did not need it',
  home: 'because the newest data has arrived',
};

/** "because of WRITE16_PURGE #187 by LAN" */
function because({ transaction, reason }: LineEvent, title: TitleOf): string {
  if (transaction === null) return REASONS[reason ?? 'store'];
  return `because of ${transactionName(transaction)} by ${title(transaction.by)}`;
}

function loss({ lost, neighbour }: LineEvent): Phrase[] {
  if (lost === null) return [];
  const what = neighbour
    ? ` The processor’s 16 bytes beside it are lost (write ${lost}).`
    : ` Write ${lost} to it is lost.`;
  return [bad(what)];
}

function changed(event: LineEvent, title: TitleOf): Phrase[] {
  const { from, to } = event;
  const where = lineName(event.line);
  const isGivenUp = to === 'shared' && from !== INVALID;
  const does = to === INVALID ? 'drops' : isGivenUp ? 'gives up exclusive ownership of' : 'holds';
  return [
    strong(title(event.part)),
    plain(` ${does} ${where}: `),
    strong(`${from === null ? 'held' : stateName(from)} → ${stateName(to)}`),
    plain(`, ${because(event, title)}.`),
    ...(event.supplied ? [plain(' It supplies the data itself.')] : []),
    ...loss(event),
  ];
}

/** The full description of an event. */
export function eventPhrases(event: LineEvent, title: TitleOf): Phrase[] {
  const { transaction } = event;
  if (event.kind === 'asked' && transaction) return asked(event, transaction, title);
  if (event.kind === 'changed') return changed(event, title);
  const name = transaction ? `The data of ${transactionName(transaction)} has arrived: ` : '';
  return [
    plain(name),
    strong(title(event.part)),
    plain(` now holds ${lineName(event.line)}, `),
    strong(stateName(event.to)),
    plain('.'),
    ...loss(event),
  ];
}

export const eventSentence = (event: LineEvent, title: TitleOf): string =>
  textOf(eventPhrases(event, title));
