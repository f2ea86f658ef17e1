import { integer, text } from '../../base/format';
import { useHidesFuture } from '../../controllers/useAnswerMask';
import { highlightedLines } from '../../controllers/useCoherence';
import { runTime, useFrameValue } from '../../controllers/useRun';
import { useStore } from '../../controllers/useStore';
import { actorOf } from '../../draw/glyph';
import { isBeingRead } from '../../draw/machine/being-read';
import { coherentMachine } from '../../model/coherence/coherence-roles';
import { NOWHERE } from '../../model/coherence/selected-lines';
import { player } from '../../model/session/open-run';
import type { Listed } from '../../model/session/recorder';
import { point, pointed, type Selection, selection } from '../../model/session/selection';
import { session } from '../../model/session/session';
import { ActorSign } from '../../widgets/ActorSign';
import { EmptyState } from '../../widgets/Feedback';
import { ROW, RowList } from '../../widgets/RowList';
import styles from './EventList.module.css';
import { choose, goTo, sourceOf, sourceOfFound } from './source';

/** Height of a row; on a narrow sheet a sentence has two lines. */
const [LOW, HIGH] = [22, 38];
const NARROW = 480;
const heightIn = (width: number): number => (width > 0 && width < NARROW ? HIGH : LOW);

interface EventListProps {
  readonly listed?: Listed;
  /** Restricts the list to these. */
  readonly found?: readonly number[] | null;
}

/** The events as rows. Arrow keys select, Enter moves the playhead. */
export function EventList({ listed = 'transactions', found = null }: EventListProps) {
  useStore(player.state, (state) => state.recorded);
  const machine = useStore(session, (state) => state.machine);
  const selected = useStore(selection, (state) => state.event);
  const ahead = useHidesFuture();
  const isCut = player.recording()?.cut ?? false;
  const recorded = found ? sourceOfFound(found) : sourceOf(listed);
  const present = useFrameValue(() => recorded.countTo(player.now().seq) - 1);
  const source = ahead ? { ...recorded, length: present + 1 } : recorded;
  if (source.length === 0 || !machine)
    return found ? (
      <EmptyState
        title={
          ahead
            ? 'Nothing found so far'
            : isCut
              ? 'Nothing found around the playhead'
              : 'Nothing found'
        }
      >
        {ahead
          ? 'What comes next is hidden while the question is open.'
          : 'Other words or conditions may find it.'}
      </EmptyState>
    ) : ahead ? (
      <EmptyState title="No events yet">
        What comes next is hidden while the question is open.
      </EmptyState>
    ) : (
      <EmptyState title="No events yet">The run is being recorded.</EmptyState>
    );
  const at = selected === null ? present : source.countTo(selected) - 1;
  const isListed = selected !== null && at >= 0 && source.seqAt(at) === selected;

  return (
    <RowList
      label={`${integer(source.length)} events`}
      length={source.length}
      heightIn={heightIn}
      present={present}
      at={at}
      active={isListed ? at : null}
      idOf={(index) => `event-${source.seqAt(index)}`}
      onChoose={(index) => choose(source.seqAt(index))}
      onEnter={() => selected !== null && goTo(selected)}
      row={(index, top, height) => (
        <EventRow
          key={index}
          seq={source.seqAt(index)}
          index={index}
          length={source.length}
          top={top}
          height={height}
          isPresent={index === present}
          isPast={index <= present}
        />
      )}
    >
      {(ahead || isCut) && (
        <p className={styles.ahead} role="none">
          {ahead
            ? 'What comes next is hidden while the question is open.'
            : 'This run is too long to be recorded completely: these are its events around the playhead.'}
        </p>
      )}
    </RowList>
  );
}

/** Whether an event concerns the hovered line, on either side of the adapter. */
function sameLine(what: Selection, seq: number): boolean {
  const { machine } = session.getState();
  if (!machine || (what.event === null && what.view === null)) return false;
  const coherent = coherentMachine(machine);
  if (coherent.caches.length === 0 || what.event === seq) return false;
  const event = { part: null, view: null, index: null, event: seq };
  const { address, io } = highlightedLines(coherent, event);
  return isBeingRead({ pointed: highlightedLines(coherent, what), selected: NOWHERE }, address, io);
}

interface RowProps {
  readonly seq: number;
  readonly index: number;
  readonly length: number;
  readonly top: number;
  readonly height: number;
  readonly isPresent: boolean;
  readonly isPast: boolean;
}

function EventRow({ seq, index, length, top, height, isPresent, isPast }: RowProps) {
  const selected = useStore(selection, (state) => state.event === seq);
  const marked = useStore(pointed, (state) => sameLine(state, seq));
  const trace = player.trace();
  const record = trace?.record(seq);
  const parts = session.getState().machine?.parts ?? [];
  const place = {
    id: `event-${seq}`,
    className: `${ROW} ${styles.row}`,
    'aria-setsize': length,
    'aria-posinset': index + 1,
    style: { top, height },
  };
  if (!trace || !record || !parts[record.part])
    return (
      // biome-ignore lint/a11y/useFocusableInteractive: the list keeps the focus
      <div role="option" aria-selected={selected} {...place}>
        This event is being recorded.
      </div>
    );
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list handles the keys
    // biome-ignore lint/a11y/useFocusableInteractive: the list keeps the focus
    <div
      role="option"
      aria-selected={selected}
      {...place}
      data-marked={marked || undefined}
      data-present={isPresent || undefined}
      data-future={!isPast || undefined}
      data-high={height > LOW || undefined}
      onPointerEnter={() => point({ part: record.part, event: seq })}
      onPointerLeave={() => point({})}
      onClick={() => choose(seq)}
      onDoubleClick={() => goTo(seq)}
    >
      <time>{text(runTime(record.timePs))}</time>
      <ActorSign actor={actorOf(parts, record.part)} />
      <span data-words title={trace.sentence(seq)}>
        {trace.sentence(seq)}
      </span>
    </div>
  );
}
