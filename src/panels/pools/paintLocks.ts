/** Paints the locks beside the strips: who holds one and who waits, or for which share of the time it is held. */
import { percent } from '../../base/format';
import { heldShare } from '../../draw/pools/pool-words';
import type { Strip, StripsModel } from '../../draw/pools/strips';
import type { Brush } from '../../widgets/CanvasView';

/** What the locks are painted from. */
export interface LocksPicture {
  readonly model: StripsModel;
  readonly scale: number;
  /** The run is shown slowly enough to see who holds a lock; else its share of the time. */
  readonly lockPace: boolean;
  readonly timePs: number;
}

export const font = (brush: Brush, size: number, weight = 400): string =>
  `${weight} ${size}px ${brush.color('--font-tight')}`;

/** Least font size in low lines. */
export const LEAST_WORDS = 10;

/** Width of a lock at the left of the strips, and most waiting CPUs that are drawn beside it. */
const LOCK = 16;
const MOST_WAITING = 3;

/** One pool in many lines has one lock, whose queue stands beside them. */
export const hasQueue = ({ strips, names }: StripsModel): boolean =>
  names !== null &&
  strips.length > 4 &&
  strips[0]?.use.pool.lock != null &&
  strips.filter(({ head }) => head).length === 1;

/** The lock of each pool: who holds it and who waits, or for which share of the time it is held. */
export function paintLocks(brush: Brush, picture: LocksPicture): void {
  const { model, scale } = picture;
  if (model.names === null) return;
  const heads = model.strips.filter(({ head, use }) => head && use.pool.lock !== null);
  if (hasQueue(model)) {
    paintQueue(brush, picture);
    return;
  }
  for (const strip of heads) {
    if (strip.use.pool.locks === 0) continue;
    if (picture.lockPace) paintHolder(brush, picture, strip);
    else paintHeldShare(brush, picture, strip);
  }
  const { context, color } = brush;
  context.font = font(brush, 10.5 * scale);
  context.fillStyle = color('--ink-3');
  context.textAlign = 'right';
  const label = picture.lockPace ? 'waits, holds' : 'lock held';
  context.fillText(label, model.left - 7 * scale, 13 * scale);
}

function paintHolder(brush: Brush, { model, scale }: LocksPicture, { y, use }: Strip): void {
  const { context, color } = brush;
  const { holder, waiting } = use.pool;
  const side = Math.min(model.height, LOCK * scale);
  const x = model.left - side - 8 * scale;
  const top = y + (model.height - side) / 2;
  context.strokeStyle = color('--line-3');
  context.lineWidth = 1;
  context.strokeRect(x + 0.5, top + 0.5, side - 1, side - 1);
  if (holder !== null) {
    context.fillStyle = color('--ac-cpu');
    context.fillRect(x + 1.5, top + 1.5, side - 3, side - 3);
    if (side >= 9) paintNumber(brush, holder, x + side / 2, top + side / 2, side, '--ink-on');
  }
  waiting.slice(0, MOST_WAITING).forEach((cpu, place) => {
    const middle = x - (place + 0.6) * (side + 2);
    context.strokeStyle = color('--bad');
    context.lineWidth = 1.4;
    context.beginPath();
    context.arc(middle, top + side / 2, side / 2 - 0.5, 0, 7);
    context.stroke();
    if (side >= 11) paintNumber(brush, cpu, middle, top + side / 2, side, '--bad');
  });
}

function paintNumber(
  brush: Brush,
  value: number,
  x: number,
  y: number,
  side: number,
  tone: string,
): void {
  const size = Math.max(LEAST_WORDS, side * 0.62);
  brush.context.font = font(brush, size, 600);
  brush.context.fillStyle = brush.color(tone);
  brush.context.textAlign = 'center';
  brush.context.fillText(String(value), x, y + size * 0.36);
}

function paintHeldShare(brush: Brush, { model, scale, timePs }: LocksPicture, strip: Strip): void {
  const { context, color } = brush;
  const [width, height] = [18 * scale, model.height * 0.7];
  const x = model.left - width - 8 * scale;
  const top = strip.y + model.height * 0.15;
  const share = heldShare(strip.use.pool, timePs);
  context.strokeStyle = color('--line-3');
  context.lineWidth = 1;
  context.strokeRect(x + 0.5, top + 0.5, width - 1, height - 1);
  context.fillStyle = color('--ac-cpu');
  context.fillRect(x + 1.5, top + 1.5, (width - 3) * share, height - 3);
  if (!strip.named) return;
  const size = Math.min(10.5 * scale, Math.max(model.step, LEAST_WORDS * scale));
  context.font = font(brush, size);
  context.fillStyle = color('--ink-3');
  context.textAlign = 'right';
  context.fillText(percent(share * 100), x - 4 * scale, strip.y + model.height / 2 + size * 0.36);
}

/** One lock for the whole table: its holder, and all who wait in one queue beside the folded strip. */
function paintQueue(brush: Brush, { model, scale, lockPace, timePs }: LocksPicture): void {
  const { context, color } = brush;
  const [head] = model.strips;
  const last = model.strips.at(-1);
  if (!head || !last) return;
  const { holder, waiting } = head.use.pool;
  const slot = Math.min(22 * scale, (last.y + model.height - head.y) / 12);
  const x = model.left - 108 * scale;
  const share = heldShare(head.use.pool, timePs);
  context.strokeStyle = color('--line-4');
  context.lineWidth = 1.25;
  context.strokeRect(x, head.y, slot, slot);
  if (!lockPace || holder !== null) {
    context.fillStyle = color('--ac-cpu');
    const full = (slot - 4) * (lockPace ? 1 : share);
    context.fillRect(x + 2, head.y + slot - 2 - full, slot - 4, full);
    if (lockPace && holder !== null)
      paintNumber(brush, holder, x + slot / 2, head.y + slot / 2, slot, '--ink-on');
  }
  waiting.forEach((cpu, place) => {
    const middle = head.y + (place + 1.6) * slot;
    context.strokeStyle = color('--bad');
    context.lineWidth = 1.4;
    context.beginPath();
    context.arc(x + slot / 2, middle, slot * 0.42, 0, 7);
    context.stroke();
    if (lockPace && slot >= 11) paintNumber(brush, cpu, x + slot / 2, middle, slot, '--bad');
  });
  context.font = font(brush, 10.5 * scale, 600);
  context.textAlign = 'right';
  context.fillStyle = color('--ink-1');
  const held = lockPace ? (holder === null ? 'free' : 'holds') : percent(share * 100);
  context.fillText(held, x - 5 * scale, head.y + slot / 2 + 4 * scale);
  context.fillStyle = color('--bad');
  if (waiting.length > 0)
    context.fillText(`${waiting.length} wait`, x - 5 * scale, head.y + slot * 1.6 + 4 * scale);
}
