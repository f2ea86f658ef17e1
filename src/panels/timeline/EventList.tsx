import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { integer, text } from '../../base/format';
import { runTime } from '../../controllers/runTime';
import { joinedPlaces } from '../../controllers/useCoherent';
import { useFrameValue } from '../../controllers/useRun';
import { useSize } from '../../controllers/useSize';
import { useStore } from '../../controllers/useStore';
import { useCoversAhead } from '../../controllers/useVeil';
import { actorOf } from '../../draw/glyph';
import { isLooked } from '../../draw/machine/look';
import { NOWHERE } from '../../model/coherent/coherence-places';
import { coherentMachine } from '../../model/coherent/coherent';
import { player } from '../../model/session/opened';
import { point, pointed, type Selection, selection } from '../../model/session/selection';
import { session } from '../../model/session/session';
import { ActorSign } from '../../widgets/ActorSign';
import { EmptyState } from '../../widgets/Feedback';
import styles from './EventList.module.css';
import { choose, goTo, type Listed, sourceOf, sourceOfFound } from './source';

/** Height of a row; on a narrow sheet a sentence has two lines. */
const [LOW, HIGH] = [22, 38];
const NARROW = 480;
/** Rows drawn beyond the edges, so that scrolling does not show gaps. */
const SPARE = 6;

interface EventListProps {
  readonly listed?: Listed;
  /** Only these of them. */
  readonly found?: readonly number[] | null;
}

/** A list of any length: only the rows in sight exist. Arrow keys choose, Enter goes there. */
export function EventList({ listed = 'transactions', found = null }: EventListProps) {
  useStore(player.state, (state) => state.recorded);
  const machine = useStore(session, (state) => state.machine);
  const selected = useStore(selection, (state) => state.event);
  const ahead = useCoversAhead();
  const recorded = found ? sourceOfFound(found) : sourceOf(listed);
  const present = useFrameValue(() => recorded.countTo(player.now().seq) - 1);
  const source = ahead ? { ...recorded, length: present + 1 } : recorded;
  const box = useRef<HTMLDivElement>(null);
  const { width, height } = useSize(box);
  const high = width > 0 && width < NARROW ? HIGH : LOW;
  const [top, setTop] = useState(0);

  useEffect(() => keepInSight(box.current, present, high), [present, high]);

  if (source.length === 0 || !machine)
    return (
      <div ref={box}>
        {found ? (
          <EmptyState title={ahead ? 'Nothing found so far' : 'Nothing found'}>
            {ahead
              ? 'What comes is covered while the question is open.'
              : 'Other words, or “all”, may find it.'}
          </EmptyState>
        ) : ahead ? (
          <EmptyState title="No events yet">
            What comes is covered while the question is open.
          </EmptyState>
        ) : (
          <EmptyState title="No events yet">The run is being recorded.</EmptyState>
        )}
      </div>
    );
  const first = Math.max(0, Math.floor(top / high) - SPARE);
  const last = Math.min(source.length, Math.ceil((top + height) / high) + SPARE);
  const rows = Array.from({ length: Math.max(0, last - first) }, (_, i) => first + i);

  const isShown = selected !== null && rows.some((index) => source.seqAt(index) === selected);

  function onKeyDown(event: KeyboardEvent): void {
    const at = selected === null ? present : source.countTo(selected) - 1;
    const to: Readonly<Record<string, number>> = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      PageDown: at + 10,
      PageUp: at - 10,
      Home: 0,
      End: source.length - 1,
    };
    const next = to[event.key];
    if (next !== undefined) {
      event.preventDefault();
      const index = Math.min(Math.max(next, 0), source.length - 1);
      choose(source.seqAt(index));
      keepInSight(box.current, index, high);
    } else if (event.key === 'Enter' && selected !== null) {
      event.preventDefault();
      goTo(selected);
    }
  }

  return (
    <div
      ref={box}
      className={styles.list}
      role="listbox"
      aria-label={`${integer(source.length)} events`}
      // The rows come and go with scrolling: the list keeps the focus and names the active one, if it is there.
      aria-activedescendant={isShown ? `event-${selected}` : undefined}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
    >
      <div className={styles.all} style={{ height: source.length * high }} role="none">
        {rows.map((index) => (
          <EventRow
            key={index}
            seq={source.seqAt(index)}
            index={index}
            length={source.length}
            high={high}
            isPresent={index === present}
            isPast={index <= present}
          />
        ))}
      </div>
      {ahead && (
        <p className={styles.ahead} role="none">
          What comes is covered while the question is open.
        </p>
      )}
    </div>
  );
}

function keepInSight(box: HTMLElement | null, index: number, high: number): void {
  if (!box) return;
  const [above, below] = [index * high, (index + 1) * high];
  if (above < box.scrollTop) box.scrollTop = above;
  else if (below > box.scrollTop + box.clientHeight) box.scrollTop = below - box.clientHeight;
}

/** Whether an event is about the line that is pointed at, on either side of the adapter. */
function sameLine(what: Selection, seq: number): boolean {
  const { machine } = session.getState();
  if (!machine || (what.event === null && what.view === null)) return false;
  const coherent = coherentMachine(machine);
  if (coherent.caches.length === 0 || what.event === seq) return false;
  const event = { part: null, view: null, index: null, event: seq };
  const { address, io } = joinedPlaces(coherent, event);
  return isLooked({ pointed: joinedPlaces(coherent, what), selected: NOWHERE }, address, io);
}

interface RowProps {
  readonly seq: number;
  readonly index: number;
  readonly length: number;
  readonly high: number;
  readonly isPresent: boolean;
  readonly isPast: boolean;
}

function EventRow({ seq, index, length, high, isPresent, isPast }: RowProps) {
  const selected = useStore(selection, (state) => state.event === seq);
  const marked = useStore(pointed, (state) => sameLine(state, seq));
  const trace = player.trace();
  const record = trace?.record(seq);
  const parts = session.getState().machine?.parts ?? [];
  if (!trace || !record || !parts[record.part]) return null;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list handles the keys
    // biome-ignore lint/a11y/useFocusableInteractive: the list keeps the focus
    <div
      id={`event-${seq}`}
      className={styles.row}
      role="option"
      aria-selected={selected}
      aria-setsize={length}
      aria-posinset={index + 1}
      data-marked={marked || undefined}
      data-present={isPresent || undefined}
      data-future={!isPast || undefined}
      data-high={high > LOW || undefined}
      style={{ top: index * high, height: high }}
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
