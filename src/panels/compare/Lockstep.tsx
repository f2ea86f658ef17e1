import { type PointerEvent, useCallback, useEffect, useId, useMemo, useRef } from 'react';
import { text } from '../../base/format';
import { runTime } from '../../controllers/runTime';
import { useStore } from '../../controllers/useStore';
import { type LockstepModel, lockstepModel } from '../../draw/run/lockstep';
import { lanesOf } from '../../draw/run/run-lanes';
import type { Window } from '../../draw/run/timeline-axis';
import type { Comparison, Side } from '../../model/report/comparison';
import { type EventPair, pairEvents } from '../../model/run/pairs';
import { session } from '../../model/session/session';
import { type Brush, CanvasView } from '../../widgets/CanvasView';
import { EmptyState } from '../../widgets/Feedback';
import { paintLanes } from '../../widgets/lanePaint';
import styles from './Compare.module.css';
import { comparing, endPs, moveNeedle, needle, onNeedle, pause, shownWindow } from './comparing';

/** Told events of both runs, paired: at most so many, fewer while they are still recorded. */
const MOST_PAIRS = { running: 400, done: 20_000 };
/** Lanes of a side; of more only those of parts that do something. */
const MOST_LANES = 12;

let paired: { of: Comparison | null; pairs: EventPair[] } = { of: null, pairs: [] };

/** The same objects as long as nothing more is known. */
function pairsOf(state: Comparison): EventPair[] {
  const [one, two] = [state.a?.recording, state.b?.recording];
  if (!one || !two) return [];
  if (paired.of === state) return paired.pairs;
  const most = state.status === 'done' ? MOST_PAIRS.done : MOST_PAIRS.running;
  const [a = [], b = []] = [one, two].map(({ marks }) => marks.story.slice(0, most));
  paired = { of: state, pairs: pairEvents(one.trace, two.trace, a, b) };
  return paired.pairs;
}

function lanesFor({ machine, recording }: Side, window: Window) {
  const wanted = session.getState().data?.view.lanes ?? [];
  return recording ? lanesOf(machine, recording.trace, window, { wanted, most: MOST_LANES }) : [];
}

function modelOf(state: Comparison, shown: Shown): LockstepModel | null {
  const { a, b, divergence, status } = state;
  const { width, height, window } = shown;
  const end = endPs();
  if (!a?.recording || !b?.recording || end <= 0) return null;
  return lockstepModel({
    width,
    height,
    window,
    a: lanesFor(a, window),
    b: lanesFor(b, window),
    pairs: pairsOf(state),
    divergencePs: divergence?.timePs ?? (status === 'done' ? end : null),
  });
}

/** What a model was made for. */
interface Shown {
  readonly width: number;
  readonly height: number;
  readonly window: Window;
}

const isSame = (one: Shown, other: Shown): boolean =>
  one.width === other.width &&
  one.height === other.height &&
  one.window.from === other.window.from &&
  one.window.to === other.window.to;

/** Both timelines, A above B. The pointer moves the needle of both. */
export function Lockstep() {
  const state = useStore(comparing.state);
  const heading = useId();
  const repaint = useRef<() => void>(() => {});
  const model = useRef<LockstepModel | null>(null);
  const made = useRef<{ of: Comparison; shown: Shown } | null>(null);
  const paint = useCallback(
    (brush: Brush) => {
      const { width, height } = brush;
      const shown = { width, height, window: shownWindow() };
      const old = made.current;
      if (old?.of !== state || !isSame(old.shown, shown)) {
        made.current = { of: state, shown };
        model.current = modelOf(state, shown);
      }
      if (model.current) paintBoth(brush, model.current);
    },
    [state],
  );
  useEffect(() => onNeedle(() => repaint.current()), []);
  const label = useMemo(() => labelOf(state), [state]);
  const goTo = (event: PointerEvent<HTMLElement>) => {
    const { left } = event.currentTarget.getBoundingClientRect();
    if (model.current) moveNeedle(model.current.a.axis.valueAt(event.clientX - left));
  };
  return (
    <section className={styles.lockstep} aria-labelledby={heading}>
      <header className={styles.heading}>
        <h2 id={heading}>Lockstep timeline</h2>
        <ul>
          <li data-kind="same">identical</li>
          <li data-kind="parting">first divergence</li>
          <li data-kind="tie">same event in both</li>
        </ul>
      </header>
      {!state.a?.recording || !state.b?.recording ? (
        <EmptyState title="Running both">The timelines appear as they are recorded.</EmptyState>
      ) : (
        <div
          className={styles.canvas}
          onPointerDown={(event) => {
            pause();
            event.currentTarget.setPointerCapture(event.pointerId);
            goTo(event);
          }}
          onPointerMove={(event) => {
            if (event.currentTarget.hasPointerCapture(event.pointerId)) goTo(event);
          }}
        >
          <CanvasView
            label={label}
            paint={paint}
            onReady={(ask) => {
              repaint.current = ask;
            }}
          />
        </div>
      )}
    </section>
  );
}

function labelOf({ a, b, divergence, status }: Comparison): string {
  const parted = divergence
    ? `They part after ${text(runTime(divergence.timePs, endPs()))}.`
    : status === 'done'
      ? 'They are the same to the end.'
      : '';
  return `A, ${a?.title}, above B, ${b?.title}, on one clock. ${parted}`;
}

function paintBoth(brush: Brush, model: LockstepModel): void {
  const { context, color } = brush;
  const { a, b, seam, same } = model;
  if (same) {
    context.fillStyle = color('--line-1');
    context.globalAlpha = 0.55;
    context.fillRect(same.x, 16, same.to - same.x, b.bottom - 16);
    context.globalAlpha = 1;
  }
  const shared = { selected: null, scale: 1, reasons: [] };
  const needlePs = needle();
  const needleText = text(runTime(needlePs, endPs()));
  paintLanes(brush, { ...shared, model: a, needlePs, needleText });
  // The ruler of A says the time of both.
  const ticks = b.ticks.map((tick) => ({ ...tick, label: '' }));
  context.save();
  paintLanes(brush, { ...shared, model: { ...b, ticks }, needlePs, needleText });
  context.restore();
  paintSeam(brush, model);
  paintLetters(brush, model);
  if (!same || same.to >= a.axis.at(a.axis.high)) return;
  context.strokeStyle = context.fillStyle = color('--accent');
  context.lineWidth = 1.5;
  context.stroke(new Path2D(`M${same.to} 16V${b.bottom}`));
  const middle = (seam.from + seam.to) / 2;
  context.fill(new Path2D(`M${same.to} ${middle - 6}l6 6l-6 6l-6-6z`));
}

function paintSeam({ context, color }: Brush, { a, ties }: LockstepModel): void {
  context.strokeStyle = color('--line-3');
  context.lineWidth = 1.1;
  for (const tie of ties) context.stroke(new Path2D(tie.path));
  context.font = `400 11px ${color('--font-tight')}`;
  context.textAlign = 'center';
  for (const { label, x: middle, y } of ties) {
    if (!label) continue;
    const width = context.measureText(label).width + 10;
    const x = Math.min(middle, a.axis.at(a.axis.high) - width / 2);
    context.fillStyle = color('--sheet');
    context.fillRect(x - width / 2, y - 9, width, 17);
    context.fillStyle = color('--ink-2');
    context.fillText(label, x, y + 3.5);
  }
}

/** Each over the names of its lanes. */
function paintLetters({ context, color }: Brush, { a, b }: LockstepModel): void {
  context.font = `600 18px ${color('--font-ui')}`;
  context.textAlign = 'left';
  context.fillStyle = color('--ink-2');
  context.fillText('A', 15, (a.rows[0]?.y ?? 0) - 5);
  context.fillText('B', 15, (b.rows[0]?.y ?? 0) - 5);
}
