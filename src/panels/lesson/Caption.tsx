import { useEffect, useMemo, useRef } from 'react';
import { runCommand } from '../../base/commands';
import { address, integer } from '../../base/format';
import { lineInPlay } from '../../controllers/useLinePlay';
import { runTime, useFrameValue, useRun } from '../../controllers/useRun';
import { useStore } from '../../controllers/useStore';
import { type Marked, sentencePieces } from '../../draw/sentence-marks';
import { RUNWAY_LINE } from '../../engine/gen/constants';
import { coherentMachine } from '../../model/coherence/coherence-roles';
import { answerMask, shownQuestion, stepShown } from '../../model/lesson/answer-mask';
import { moreLikeNow } from '../../model/lesson/lecture';
import type { CompiledMachine } from '../../model/scenario/compiled';
import { player } from '../../model/session/open-run';
import { currentEvent, currentEventSentence } from '../../model/session/presented-event';
import { point } from '../../model/session/selection';
import { session } from '../../model/session/session';
import { Button } from '../../widgets/Button';
import { Panel } from '../../widgets/Panel';
import { panelWords } from '../../widgets/PanelSentence';
import { Phrases } from '../../widgets/Phrases';
import styles from './Caption.module.css';
import { LeaderLines } from './LeaderLines';

const NUMBERS = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];

const moreText = (more: number): string => `${NUMBERS[more - 1] ?? integer(more)} more like it`;

/** Marks the part of the present event in every drawing, as if the pointer were on it, while its sentence is shown. */
function usePointedPart(isShown: boolean): void {
  const part = useFrameValue(() => player.trace()?.record(currentEvent() ?? 0)?.part ?? null);
  useEffect(() => {
    if (!isShown) return;
    point({ part });
    return () => point({});
  }, [part, isShown]);
}

/** Bus that carries the packet of an event now; null if none does. */
function packetOn({ parts }: CompiledMachine, event: number): number | null {
  const trace = player.trace();
  const { timePs, seq } = player.now();
  const cause = trace?.record(event)?.cause;
  const found = parts.findIndex(({ type }, part) => {
    const track = type.actor === 'bus' ? type.tracks[0] : undefined;
    const span = track && trace?.lane(part, track.name)?.at(timePs, seq);
    return (
      span && (span.seq === event || span.seq === cause || trace?.record(span.seq)?.cause === event)
    );
  });
  return found < 0 ? null : found;
}

/** The address in the event of the line that is in play, as the sentence writes it; null if it is another. */
function cellOf(machine: CompiledMachine, event: number) {
  const line = lineInPlay(coherentMachine(machine));
  if (line && answerMask.getState()?.masks(line.part, 'lines')) return null;
  const here = player.trace()?.fields(event) ?? [];
  const field = here.find(
    ({ as, value }) => as === 'address' && Math.floor(value / RUNWAY_LINE) === line?.line,
  );
  const hasCell = line !== null && (line.seq === event || field !== undefined);
  return { hasCell, cellAt: hasCell && field ? address(field.value) : null };
}

/** The sentence on the present event; the words that name something drawn have lines to it. */
function Sentence({ sentence }: { readonly sentence: string }) {
  const machine = useStore(session, (state) => state.machine);
  const words = useRef<HTMLElement>(null);
  const event = useFrameValue(() => currentEvent() ?? 0);
  const bus = useFrameValue(() => (machine && event ? packetOn(machine, event) : null));
  const cell = useFrameValue(() =>
    JSON.stringify(machine && event ? cellOf(machine, event) : null),
  );
  const pieces = useMemo(() => {
    const titles = machine?.parts.map(({ title, at }) => (at ? title : null)) ?? [];
    const { hasCell = false, cellAt = null } = JSON.parse(cell) ?? {};
    const own = player.trace()?.record(event)?.part ?? null;
    return sentencePieces(sentence, { titles, own, packetOn: bus, hasCell, cellAt });
  }, [machine, sentence, event, bus, cell]);
  const marks = useMemo(
    () => pieces.flatMap(({ marked }): Marked[] => (marked ? [marked] : [])),
    [pieces],
  );
  const buses = useMemo(
    () => machine?.parts.flatMap(({ type }, part) => (type.actor === 'bus' ? [part] : [])) ?? [],
    [machine],
  );
  let mark = 0;
  return (
    <>
      <span ref={words}>
        {pieces.map(({ text, marked }) =>
          marked ? (
            <mark key={text} data-mark={mark++}>
              {text}
            </mark>
          ) : (
            text
          ),
        )}
      </span>
      <LeaderLines sentence={words} marks={marks} buses={buses} />
    </>
  );
}

/** Commands that a phone has as large buttons. */
const IN_HAND = [
  { id: 'back', title: 'Back' },
  { id: 'next', title: 'Next new thing' },
  { id: 'why', title: 'Why' },
  { id: 'blank', title: 'Blank' },
  { id: 'lecture', title: 'Leave' },
] as const;

/** On a phone, in the lecturer's hand: what a clicker and its keys do elsewhere. */
function Hand() {
  return (
    <div className={styles.hand}>
      {IN_HAND.map(({ id, title }) => (
        <Button
          key={id}
          data-command={id}
          look={id === 'next' ? 'primary' : 'plain'}
          onClick={() => runCommand(id)}
        >
          {title}
        </Button>
      ))}
    </div>
  );
}

/** For the projector: what the panel says of this moment, or else the present event in one sentence, and its time. */
export default function Caption() {
  useRun();
  const time = useFrameValue(() => runTime(player.now().timePs).value);
  const unit = useFrameValue(() => runTime(player.now().timePs).unit);
  useStore(stepShown);
  const asks = useStore(session, shownQuestion) !== null;
  const sentence = useFrameValue(currentEventSentence);
  const words = useStore(panelWords, ({ phrases }) => phrases);
  const more = useFrameValue(moreLikeNow);
  usePointedPart(words === null);
  return (
    <Panel title="What happens now" bare>
      <div className={styles.caption} data-caption>
        <div className={styles.time} data-words>
          {time}
          <small>{unit}</small>
        </div>
        {words ? (
          <p data-of-panel>
            <Phrases phrases={words} />
          </p>
        ) : (
          <p>{sentence ? <Sentence sentence={sentence} /> : 'The run is at its start.'}</p>
        )}
        <div className={styles.side} data-words>
          {asks && (
            <Button look="primary" onClick={() => runCommand('room.ask')}>
              Ask the room
            </Button>
          )}
          {more > 0 && !words && (
            <small>
              <b>{moreText(more)}</b>, skipped by →
            </small>
          )}
        </div>
        <Hand />
      </div>
    </Panel>
  );
}
