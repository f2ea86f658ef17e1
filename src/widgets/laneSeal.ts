/**
 * The seal over the lanes from the moment of decision on, and how it breaks: it tears along a zigzag in the middle,
 * and the halves move apart, turn and fade.
 */
import { clamp, type Rect } from '../base/geometry';
import { shell } from '../base/shell-state';
import { evidenceTarget, laterQuestion, sealedFromPs } from '../model/lesson/answer-mask';
import type { Brush } from './CanvasView';
import { laneFont } from './lanePlayhead';
import type { Seal } from './lanesPicture';

/** From the fullest wording to the shortest. */
const wordsOf = (step: number | null): readonly string[] => [
  step === null ? 'sealed until you answer' : `sealed: step ${step} asks about it`,
  'sealed',
  '',
];
const DISC = 9;

/** Milliseconds in which the halves tear apart, and until they have faded. */
const TEAR_MS = 400;
const BREAK_MS = 1000;
/** How far the halves move and turn, in pixels and radians. */
const APART = 24;
const TURN = 0.03;
const TEETH = 8;

/** The seal of one sheet of lanes over time. */
export class LaneSeal {
  private fromPs = Number.POSITIVE_INFINITY;
  private step: number | null = null;
  private brokenAt: number | null = null;

  /** The seal at a time of the host's clock and of the playhead; null if there is none. */
  at(nowMs: number, timePs: number): Seal | null {
    const isPlaying = evidenceTarget.getState().question !== null;
    if (!isPlaying && Number.isFinite(sealedFromPs(timePs))) {
      this.fromPs = sealedFromPs(timePs);
      const { step } = laterQuestion.getState();
      this.step = step === null ? null : step + 1;
      this.brokenAt = null;
      return { fromPs: this.fromPs, step: this.step, brokenMs: null };
    }
    if (!Number.isFinite(this.fromPs)) return null;
    if (isPlaying && !shell.getState().reducedMotion) this.brokenAt ??= nowMs;
    const brokenMs = this.brokenAt === null ? BREAK_MS : nowMs - this.brokenAt;
    if (brokenMs < BREAK_MS) return { fromPs: this.fromPs, step: this.step, brokenMs };
    this.fromPs = Number.POSITIVE_INFINITY;
    return null;
  }
}

export function paintSeal(
  brush: Brush,
  box: Rect,
  seal: Omit<Seal, 'fromPs'>,
  scale: number,
): void {
  const { brokenMs } = seal;
  const words = wordsOf(seal.step);
  const { context } = brush;
  if (brokenMs === null) {
    paintSheet(brush, box, words, scale);
    return;
  }
  const apart = clamp(brokenMs / TEAR_MS, 0, 1);
  context.globalAlpha = 1 - clamp((brokenMs - TEAR_MS) / (BREAK_MS - TEAR_MS), 0, 1);
  for (const side of [-1, 1] as const) {
    context.save();
    context.translate(side * APART * apart, 0);
    const middle = box.x + box.width / 2;
    context.translate(middle, box.y + box.height / 2);
    context.rotate(side * TURN * apart);
    context.translate(-middle, -box.y - box.height / 2);
    context.clip(halfOf(box, side));
    paintSheet(brush, box, words, scale);
    context.restore();
  }
  context.globalAlpha = 1;
}

/** Half of a box, up to a zigzag in its middle. */
function halfOf({ x, y, width, height }: Rect, side: -1 | 1): Path2D {
  const outer = side < 0 ? x - 1 : x + width + 1;
  const path = new Path2D();
  path.moveTo(outer, y - 1);
  for (let tooth = 0; tooth <= TEETH; tooth++)
    path.lineTo(x + width / 2 + (tooth % 2 === 0 ? -5 : 5), y - 1 + ((height + 2) * tooth) / TEETH);
  path.lineTo(outer, y + height + 1);
  path.closePath();
  return path;
}

function paintSheet(
  brush: Brush,
  { x, y, width, height }: Rect,
  texts: readonly string[],
  scale: number,
): void {
  const { context, color } = brush;
  context.fillStyle = color('--accent-wash');
  context.fillRect(x, y, width, height);
  context.strokeStyle = color('--accent');
  context.lineWidth = 1.5;
  context.setLineDash([4, 3]);
  context.strokeRect(x + 0.75, y + 0.75, width - 1.5, height - 1.5);
  context.setLineDash([]);
  context.font = laneFont(brush, 13 * scale, 600);
  const radius = DISC * scale;
  const wide = (text: string) => context.measureText(text).width + (text ? 8 * scale : 0);
  const words = texts.find((text) => wide(text) + 2 * radius + 16 < width);
  if (words === undefined || height < 2 * radius) return;
  const left = x + (width - wide(words) - 2 * radius) / 2;
  const middle = y + height / 2;
  context.beginPath();
  context.arc(left + radius, middle, radius, 0, 7);
  context.fillStyle = color('--accent');
  context.fill();
  context.textAlign = 'left';
  context.fillText(words, left + 2 * radius + 8 * scale, middle + 4.5 * scale);
  context.textAlign = 'center';
  context.fillStyle = color('--ink-on');
  context.fillText('?', left + radius, middle + 4.5 * scale);
}
