/** Completion of event queries: the names and values that may stand at a place of the text. */
import { QUERY_NAMES } from './event-search';
import { sentenceOfAny, type TracedMachine } from './event-text';

interface QuerySuggestion {
  /** What is written. */
  readonly text: string;
  readonly info: string;
}

interface QuerySuggestions {
  /** The range of the text that a suggestion replaces. */
  readonly from: number;
  readonly to: number;
  readonly options: readonly QuerySuggestion[];
}

const MOST = 12;

/** What is being written before the caret: a name, and the beginning of its value. */
const WRITTEN = /(?:^|[\s(])-?(?:([\w.-]+)(<=|>=|[:=<>]))?("[^"]*|[^\s()"]*)$/;

const quoted = (value: string): string => (/[\s()":]/.test(value) ? `"${value}"` : value);

const distinct = (all: readonly QuerySuggestion[]): QuerySuggestion[] =>
  [...new Map(all.toReversed().map((one) => [one.text, one])).values()].toReversed();

/** Names with which conditions begin, then the fields of the machine's events and its counters. */
function namesIn({ parts }: TracedMachine): QuerySuggestion[] {
  const fields = parts.flatMap(({ type }) =>
    type.events.flatMap((event) =>
      event.fields.map(({ name }) => ({
        text: `${name}:`,
        info: sentenceOfAny(event, type.title),
      })),
    ),
  );
  const counters = parts.flatMap(({ name, title, type }) =>
    name
      ? type.counters.map((counter) => ({
          text: `${name}.${counter.name}>=`,
          info: `${title}: ${counter.title}`,
        }))
      : [],
  );
  const fixed = [...QUERY_NAMES].map(([name, info]) => ({ text: `${name}:`, info }));
  return distinct([...fixed, ...fields, ...counters]);
}

function valuesOf(name: string, { parts }: TracedMachine): QuerySuggestion[] {
  const events = parts.flatMap(({ type }) => type.events.map((event) => ({ event, type })));
  const partNames = parts.map((part) => ({
    text: part.name ?? quoted(part.title),
    info: part.title === part.type.title ? part.title : `${part.title}: ${part.type.title}`,
  }));
  if (name === 'part') return partNames;
  if (name === 'kind')
    return distinct(
      events.map(({ event, type }) => ({
        text: event.name,
        info: sentenceOfAny(event, type.title),
      })),
    );
  const members = events.flatMap(({ event, type }) => [
    ...event.fields
      .filter((field) => name === 'state' || field.name === name)
      .flatMap(({ as }) => type.enums[as.slice('enum:'.length)] ?? []),
    ...(name === 'state'
      ? (type.enums[type.tracks.find((track) => track.name === event.lane?.track)?.states ?? ''] ??
        [])
      : []),
  ]);
  const fields = events.flatMap(({ event }) => event.fields.filter((one) => one.name === name));
  return distinct([
    ...members.map((member) => ({ text: member.name, info: member.title })),
    ...(fields.some(({ as }) => as === 'port') ? partNames : []),
    ...(fields.some(({ as }) => as === 'flag') ? ['yes', 'no'] : []).map((text) => ({
      text,
      info: '',
    })),
  ]);
}

/** What may stand before the caret; null if there is nothing to suggest. */
export function queryHelp(
  text: string,
  caret: number,
  machine: TracedMachine,
): QuerySuggestions | null {
  const [, name, , written = ''] = WRITTEN.exec(text.slice(0, caret)) ?? [];
  const begun = written.replace('"', '').toLowerCase();
  if (name === undefined && begun === '') return null;
  const all = name === undefined ? namesIn(machine) : valuesOf(name, machine);
  const matching = all.filter((one) => one.text.toLowerCase().startsWith(begun));
  const others = all.filter(
    (one) =>
      !matching.includes(one) && name !== undefined && one.info.toLowerCase().includes(begun),
  );
  const options = [...matching, ...others]
    .filter((one) => one.text.toLowerCase() !== begun)
    .slice(0, MOST);
  return options.length > 0 ? { from: caret - written.length, to: caret, options } : null;
}
