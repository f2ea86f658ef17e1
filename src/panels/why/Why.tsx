import { useState } from 'react';
import { integer, text } from '../../base/format';
import { useHidesFuture } from '../../controllers/useAnswerMask';
import { type CauseStep, causesOf } from '../../controllers/useCauses';
import { runTime, useFrameValue, useRun } from '../../controllers/useRun';
import { useSize } from '../../controllers/useSize';
import { useStore } from '../../controllers/useStore';
import { arcShapes, placesOf } from '../../draw/cause-arcs';
import { player } from '../../model/session/open-run';
import { currentEvent } from '../../model/session/presented-event';
import { clearSelection, point, select, selection } from '../../model/session/selection';
import { session } from '../../model/session/session';
import { eventQuestion } from '../../model/trace/event-question';
import type { Trace } from '../../model/trace/trace';
import { Button } from '../../widgets/Button';
import { EmptyState } from '../../widgets/Feedback';
import { Panel } from '../../widgets/Panel';
import { ShapeView } from '../../widgets/ShapeView';
import { SvgView } from '../../widgets/SvgView';
import { TextAlternative } from '../../widgets/TextAlternative';
import { RootCause } from './RootCause';
import { whyState } from './state';
import styles from './Why.module.css';

/** Most effects listed. */
const MOST_EFFECTS = 12;
const MOST_REASONS = 12;
const FEW_REASONS = 6;

/** Why an event happened: its chain of causes as arcs, and the root cause in words. */
export default function Why() {
  useRun();
  const effects = useStore(whyState, (state) => state.effects);
  const machine = useStore(session, (state) => state.machine);
  const chosen = useStore(selection, (state) => state.event);
  useStore(player.state, (state) => state.recorded);
  const present = useFrameValue(currentEvent);
  const event = chosen ?? present;
  const trace = player.trace();
  const turn = (
    <Button look="link" onClick={() => whyState.setState({ effects: !effects })}>
      {effects ? 'What caused it?' : 'What did it cause?'}
    </Button>
  );
  return (
    <Panel
      title="Why?"
      tools={turn}
      scroll
      textAlternative={
        event !== null && trace?.has(event) && !effects ? <CausesText event={event} /> : undefined
      }
      className={styles.panel ?? ''}
    >
      {event === null || !trace || !machine ? (
        <EmptyState title="Nothing has happened yet">
          Step forward, or pick a bar of the timeline or an event of the list.
        </EmptyState>
      ) : !trace.has(event) ? (
        <NotHeld />
      ) : (
        <div className={styles.body}>
          <h3>
            {effects
              ? `What did this cause: ${trace.sentence(event).replace(/\.$/, '')}?`
              : eventQuestion(machine, trace, event)}
          </h3>
          {effects ? (
            <Effects trace={trace} event={event} />
          ) : (
            <>
              <Causes event={event} />
              <RootCause event={event} />
            </>
          )}
        </div>
      )}
    </Panel>
  );
}

/** A long run is recorded only around the playhead, and the selected event is elsewhere. */
function NotHeld() {
  return (
    <>
      <EmptyState title="Event no longer in the trace">
        This run is too long to be recorded completely, and the playhead has left the part with this
        event.
      </EmptyState>
      <p className={styles.body}>
        <Button look="link" onClick={clearSelection}>
          Ask about the newest event instead
        </Button>
      </p>
    </>
  );
}

/** Goes to the time of a record; the explained event stays the same. */
function goTo(seq: number, event: number): void {
  const record = player.trace()?.record(seq);
  if (!record) return;
  if (selection.getState().event === null) select({ event });
  player.pause();
  void player.toTime(record.timePs);
}

/** Height of the arcs, and of their line of time. */
const ARCS = { height: 66, line: 52, margin: 14, rise: 38 };

/** The chain as arcs; in words only the root cause, or the event under the pointer or the focus. */
function Causes({ event }: { readonly event: number }) {
  const [box, { width }] = useSize();
  const [looked, look] = useState<number | null>(null);
  const all = causesOf(event, MOST_REASONS);
  const reasons = causesOf(event, FEW_REASONS);
  const root = reasons.at(-1);
  const shown = reasons.find(({ seq }) => seq === looked) ?? root;
  const places = placesOf(reasons, Math.max(width, 120), ARCS.margin);
  const more = all.length - reasons.length;
  return (
    <>
      <div className={styles.chain} ref={box} style={{ height: ARCS.height }}>
        <SvgView width={Math.max(width, 120)} height={ARCS.height} aria-hidden="true">
          <ShapeView shapes={arcShapes(places, ARCS.line, ARCS.rise)} />
        </SvgView>
        <ol>
          {reasons.map((reason, index) => (
            <Dot
              key={reason.seq}
              reason={reason}
              event={event}
              isRoot={reason === root}
              x={places[index] ?? 0}
              onLook={look}
            />
          ))}
        </ol>
      </div>
      {shown && (
        <p className={styles.shown} aria-hidden="true">
          <b>{shown === root ? 'Root cause' : `Cause ${shown.number}`}</b>{' '}
          <time>{text(runTime(shown.timePs))}</time>
          <span>{sentenceOn(shown)}</span>
        </p>
      )}
      {more > 0 && <p className={styles.between}>{more} more in between</p>}
    </>
  );
}

const sentenceOn = ({ seq, skipped }: CauseStep): string =>
  `${player.trace()?.sentence(seq) ?? ''}${skipped > 0 ? ` After ${integer(skipped)} more of the same kind.` : ''}`;

interface DotProps extends RowProps {
  readonly x: number;
  /** Says which event the pointer or the focus is on; null for none. */
  onLook(seq: number | null): void;
}

/** One event of the chain: its number, and its sentence for those who do not see it below. */
function Dot({ reason, event, isRoot, x, onLook }: DotProps) {
  const { seq, number, timePs, part } = reason;
  const look = (on: boolean) => {
    onLook(on ? seq : null);
    point(on ? { part, event: seq } : {});
  };
  return (
    <li data-root={isRoot || undefined} style={{ left: x, top: ARCS.line }}>
      <button
        type="button"
        onClick={() => goTo(seq, event)}
        onPointerEnter={() => look(true)}
        onPointerLeave={() => look(false)}
        onFocus={() => look(true)}
        onBlur={() => look(false)}
      >
        <i aria-hidden="true">{number}</i>
        <span className="visually-hidden">
          {isRoot ? 'Root cause: ' : `${number}: `}
          {sentenceOn(reason)} {text(runTime(timePs))}
        </span>
      </button>
    </li>
  );
}

/** The chain in words, newest first, the root cause last. */
function CausesText({ event }: { readonly event: number }) {
  const sentences = causesOf(event, MOST_REASONS).map(
    (reason) => `${text(runTime(reason.timePs))}: ${sentenceOn(reason)}`,
  );
  return (
    <TextAlternative
      summary="Causes, newest first; the last is the root cause."
      sentences={sentences}
    />
  );
}

interface RowProps {
  readonly reason: CauseStep;
  readonly event: number;
  readonly isRoot: boolean;
}

function Row({ reason, event, isRoot }: RowProps) {
  const { seq, number, timePs, skipped, part } = reason;
  return (
    <li data-root={isRoot || undefined}>
      <button
        type="button"
        onClick={() => goTo(seq, event)}
        onPointerEnter={() => point({ part, event: seq })}
        onPointerLeave={() => point({})}
        onFocus={() => point({ part, event: seq })}
        onBlur={() => point({})}
      >
        <i>{number}</i>
        <span>
          {player.trace()?.sentence(seq)}
          {skipped > 0 && <em> After {integer(skipped)} more of the same kind.</em>}
        </span>
        <time>{text(runTime(timePs))}</time>
      </button>
    </li>
  );
}

function Effects({ trace, event }: { readonly trace: Trace; readonly event: number }) {
  const ahead = useHidesFuture();
  const all = trace.effects(event, MOST_EFFECTS);
  const seqs = ahead ? all.filter((seq) => seq <= player.now().seq) : all;
  if (seqs.length === 0)
    return (
      <p className={styles.more}>{ahead ? 'Nothing up to the playhead.' : 'Nothing recorded.'}</p>
    );
  return (
    <ol className={styles.reasons}>
      {seqs.map((seq, index) => {
        const { part = 0, timePs = 0 } = trace.record(seq) ?? {};
        const reason = { seq, number: index + 1, timePs, part, skipped: 0 };
        return <Row key={seq} reason={reason} event={event} isRoot={false} />;
      })}
    </ol>
  );
}
