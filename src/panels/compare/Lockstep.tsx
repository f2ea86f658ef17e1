import { type PointerEvent, useCallback, useEffect, useId, useMemo, useRef } from 'react';
import { text, time } from '../../base/format';
import { runTime } from '../../controllers/useRun';
import { useStore } from '../../controllers/useStore';
import {
  type LockstepInput,
  type LockstepModel,
  lockstepModel,
  shiftedWindow,
} from '../../draw/run/lockstep';
import { lanesOf } from '../../draw/run/run-lanes';
import type { Window } from '../../draw/run/timeline-axis';
import type { Lead } from '../../model/report/alignment';
import type { Comparison, Side } from '../../model/report/comparison';
import { session } from '../../model/session/session';
import { type Brush, CanvasView } from '../../widgets/CanvasView';
import { EmptyState } from '../../widgets/Feedback';
import { paintLanes } from '../../widgets/lanePaint';
import { Align } from './Align';
import styles from './Compare.module.css';
import {
  comparing,
  endPs,
  lead,
  longestPs,
  movePlayhead,
  onPlayheadMove,
  pairsOf,
  pause,
  playhead,
  shownWindow,
} from './comparing';

/** Most lanes per run; idle parts are left out first. */
const MOST_LANES = 12;

function lanesFor({ machine, recording }: Side, window: Window) {
  const tracks = session.getState().data?.view.lanes ?? [];
  return recording ? lanesOf(machine, recording.trace, window, { tracks, most: MOST_LANES }) : [];
}

function modelOf(state: Comparison, shown: Shown): LockstepModel | null {
  const { a, b } = state;
  const { width, height, window, shift } = shown;
  const end = endPs();
  if (!a?.recording || !b?.recording || end <= 0) return null;
  return lockstepModel({
    width,
    height,
    window,
    shift,
    a: lanesFor(a, shiftedWindow(window, shift.a)),
    b: lanesFor(b, shiftedWindow(window, shift.b)),
    pairs: pairsOf(state),
    divergence: divergenceOf(state),
  });
}

/** Where the runs diverge, in each run's own time; at their ends if they do not, null while unknown. */
function divergenceOf({
  a,
  b,
  divergence,
  keptPs,
  status,
}: Comparison): LockstepInput['divergence'] {
  const timeOf = (side: Side | null, seq: number | null | undefined): number => {
    const { trace, endPs: end = 0 } = side?.recording ?? {};
    return divergence ? (trace?.record(seq ?? 0)?.timePs ?? divergence.timePs) : (keptPs ?? end);
  };
  if (!divergence && status !== 'done') return null;
  return { a: timeOf(a, divergence?.a), b: timeOf(b, divergence?.b) };
}

/** Inputs of the model, to detect changes. */
interface Shown {
  readonly width: number;
  readonly height: number;
  readonly window: Window;
  readonly shift: Lead;
}

const isSame = (one: Shown, other: Shown): boolean =>
  one.width === other.width &&
  one.height === other.height &&
  one.shift === other.shift &&
  one.window.from === other.window.from &&
  one.window.to === other.window.to;

/** Both timelines, A above B. The pointer moves the common playhead. */
export function Lockstep() {
  const state = useStore(comparing.state);
  const heading = useId();
  const repaint = useRef<() => void>(() => {});
  const model = useRef<LockstepModel | null>(null);
  const made = useRef<{ of: Comparison; shown: Shown } | null>(null);
  const paint = useCallback(
    (brush: Brush) => {
      const { width, height } = brush;
      const shown = { width, height, window: shownWindow(), shift: lead.getState() };
      const old = made.current;
      if (old?.of !== state || !isSame(old.shown, shown)) {
        made.current = { of: state, shown };
        model.current = modelOf(state, shown);
      }
      if (model.current) paintBoth(brush, model.current);
    },
    [state],
  );
  const shift = useStore(lead);
  useEffect(() => {
    const stops = [
      onPlayheadMove(() => repaint.current()),
      lead.subscribe(() => repaint.current()),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  }, []);
  const label = useMemo(() => labelOf(state, shift), [state, shift]);
  const goTo = (event: PointerEvent<HTMLElement>) => {
    const { left } = event.currentTarget.getBoundingClientRect();
    if (model.current)
      movePlayhead(model.current.a.axis.valueAt(event.clientX - left) + lead.getState().a);
  };
  return (
    <section className={styles.lockstep} aria-labelledby={heading}>
      <header className={styles.heading}>
        <h2 id={heading}>Lockstep timeline</h2>
        <Align />
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
            onReady={(requestRepaint) => {
              repaint.current = requestRepaint;
            }}
          />
        </div>
      )}
    </section>
  );
}

function labelOf({ a, b, divergence, keptPs, status }: Comparison, shift: Lead): string {
  const until = keptPs === null ? 'to the end' : `up to ${text(runTime(keptPs, endPs()))}`;
  const seam = divergence
    ? `They differ after ${text(runTime(divergence.timePs, endPs()))}.`
    : status === 'done'
      ? `They are the same ${until}.`
      : '';
  const by = text(time(Math.abs(shift.a - shift.b), 3));
  const aligned =
    shift.a === shift.b
      ? ''
      : `${shift.a > shift.b ? 'A' : 'B'} is drawn as if it began ${by} later.`;
  return `A, ${a?.title}, above B, ${b?.title}, on one clock. ${seam} ${aligned}`.trim();
}

function paintBoth(brush: Brush, model: LockstepModel): void {
  const { context, color } = brush;
  const { a, b, seam, same } = model;
  const shift = lead.getState();
  if (same) {
    context.fillStyle = color('--line-1');
    context.globalAlpha = 0.55;
    const middle = (seam.from + seam.to) / 2;
    context.fillRect(same.a.x, 16, same.a.to - same.a.x, middle - 16);
    context.fillRect(same.b.x, middle, same.b.to - same.b.x, b.bottom - middle);
    context.globalAlpha = 1;
  }
  const shared = { selected: null, scale: 1, reasons: [] };
  const playheadIn = (side: 'a' | 'b') => {
    const playheadPs = playhead() - shift[side];
    const playheadText = playheadPs < 0 ? 'not begun' : text(runTime(playheadPs, longestPs()));
    return { playheadPs, playheadText };
  };
  paintLanes(brush, { ...shared, model: a, ...playheadIn('a') });
  // If both runs start together, the ruler of A serves both.
  const ticks = b.ticks.map((tick) => ({ ...tick, label: '' }));
  context.save();
  if (shift.a !== shift.b) {
    context.beginPath();
    context.rect(0, a.bottom, brush.width, brush.height);
    context.clip();
  }
  paintLanes(brush, { ...shared, model: { ...b, ticks }, ...playheadIn('b') });
  context.restore();
  if (shift.a !== shift.b) paintOwnRuler(brush, b, playheadIn('b'));
  paintSeam(brush, model);
  paintLetters(brush, model);
  if (same) paintDivergence(brush, model, same);
}

/** The time of B, below its lanes. */
function paintOwnRuler(
  { context, color, width }: Brush,
  { axis, ticks, bottom }: LockstepModel['b'],
  { playheadPs, playheadText }: { readonly playheadPs: number; readonly playheadText: string },
): void {
  const y = bottom + 13;
  const plate = (x: number, wide: number) => Math.max(0, Math.min(x - wide / 2, width - wide));
  context.font = `600 11.5px ${color('--font-tight')}`;
  const wide = context.measureText(playheadText).width + 12;
  const from = plate(axis.at(playheadPs), wide);
  const isShown = playheadPs >= axis.low && playheadPs <= axis.high;
  context.font = `400 10.5px ${color('--font-tight')}`;
  context.textAlign = 'left';
  context.fillStyle = color('--ink-3');
  for (const { at, label } of ticks) {
    const end = at + 4 + context.measureText(label).width;
    const isUnder = isShown && end > from - 3 && at < from + wide;
    if (end <= width && !isUnder) context.fillText(label, at + 4, y);
  }
  if (!isShown) return;
  context.fillStyle = color('--ink-1');
  context.fillRect(from, bottom + 2, wide, 15);
  context.font = `600 11.5px ${color('--font-tight')}`;
  context.fillStyle = color('--bg');
  context.textAlign = 'center';
  context.fillText(playheadText, from + wide / 2, y);
}

/** The line of divergence, bent if the runs are shifted, with its mark. */
function paintDivergence(
  { context, color }: Brush,
  { a, b, seam }: LockstepModel,
  same: NonNullable<LockstepModel['same']>,
): void {
  if (same.a.to >= a.axis.at(a.axis.high)) return;
  context.strokeStyle = context.fillStyle = color('--accent');
  context.lineWidth = 1.5;
  context.stroke(new Path2D(`M${same.a.to} 16V${seam.from}L${same.b.to} ${seam.to}V${b.bottom}`));
  const [x, y] = [(same.a.to + same.b.to) / 2, (seam.from + seam.to) / 2];
  context.fill(new Path2D(`M${x} ${y - 6}l6 6l-6 6l-6-6z`));
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

/** Each letter above the names of its lanes. */
function paintLetters({ context, color }: Brush, { a, b }: LockstepModel): void {
  context.font = `600 18px ${color('--font-ui')}`;
  context.textAlign = 'left';
  context.fillStyle = color('--ink-2');
  context.fillText('A', 15, (a.rows[0]?.y ?? 0) - 5);
  context.fillText('B', 15, (b.rows[0]?.y ?? 0) - 5);
}
