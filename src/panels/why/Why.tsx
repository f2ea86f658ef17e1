import { integer, text } from '../../base/format';
import { useHidesFuture } from '../../controllers/useAnswerMask';
import { type CauseStep, causesOf } from '../../controllers/useCauses';
import { runTime, useFrameValue, useRun } from '../../controllers/useRun';
import { useStore } from '../../controllers/useStore';
import { player } from '../../model/session/open-run';
import { currentEvent } from '../../model/session/presented-event';
import { clearSelection, point, select, selection } from '../../model/session/selection';
import { session } from '../../model/session/session';
import { eventQuestion } from '../../model/trace/event-question';
import type { Trace } from '../../model/trace/trace';
import { Button } from '../../widgets/Button';
import { EmptyState } from '../../widgets/Feedback';
import { Panel } from '../../widgets/Panel';
import { RootCause } from './RootCause';
import { whyState } from './state';
import styles from './Why.module.css';

/** Most effects listed. */
const MOST_EFFECTS = 12;
const MOST_REASONS = 12;
const FEW_REASONS = 6;

/** Why an event happened: its causes as sentences, newest first, the root cause last. */
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
    <Panel title="Why?" tools={turn} scroll className={styles.panel ?? ''}>
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
          {!effects && <RootCause event={event} />}
          {effects ? <Effects trace={trace} event={event} /> : <Causes event={event} />}
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

function Causes({ event }: { readonly event: number }) {
  const all = causesOf(event, MOST_REASONS);
  const reasons = causesOf(event, FEW_REASONS);
  const root = reasons.at(-1);
  return (
    <ol className={styles.reasons}>
      {reasons.map((reason) => (
        <Row key={reason.seq} reason={reason} event={event} isRoot={reason === root} />
      ))}
      {all.length > reasons.length && (
        <li className={styles.more}>{all.length - reasons.length} more in between</li>
      )}
    </ol>
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
