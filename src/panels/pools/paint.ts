/** Paints the strips on a canvas: the tones as one small image, stretched; then cursors, names, numbers. */
import { integer, percent } from '../../base/format';
import {
  KIND,
  KINDS,
  placeOf,
  SHADES,
  type Strip,
  type StripsModel,
} from '../../draw/pools/strips';
import type { TrailNow } from '../../model/pools/pool-trail';
import type { Brush } from '../../widgets/CanvasView';

export interface StripsPicture {
  readonly model: StripsModel;
  readonly scale: number;
  /** What the run has handed out; null without a record. */
  readonly trail: TrailNow | null;
  /** The run is shown slowly enough to see who holds a lock; else its share of the time. */
  readonly lockPace: boolean;
  readonly timePs: number;
  /** First entry under the lens, and count. */
  readonly lens: { readonly first: number; readonly entries: number } | null;
  /** Entries that the user reserved, and whether the pointer reserves more. */
  readonly reserved: readonly { readonly from: number; readonly to: number }[];
  readonly isReserving: boolean;
  readonly marked: number | null;
  /** Pool whose cursor moved last. */
  readonly active: number | null;
  /** Hovered or selected processor: the pools with its entries are marked. */
  readonly chosen: number | null;
}

type Color = readonly [red: number, green: number, blue: number];

function parse(text: string): Color {
  const value = Number.parseInt(text.slice(1), 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}

/** Shades from the empty strip to the colour of a kind; the first shade is already visible. */
function paletteOf({ color }: Brush): Uint32Array {
  const empty = parse(color('--line-1'));
  const palette = new Uint32Array(SHADES * KINDS);
  const hues: Readonly<Record<number, string>> = {
    [KIND.held]: '--ink-2',
    [KIND.own]: '--c-3',
    [KIND.foreign]: '--pool-spilled',
    [KIND.chosen]: '--st-flight-line',
  };
  for (let kind = 0; kind < KINDS; kind++) {
    const full = parse(color(hues[kind] ?? '--c-1'));
    for (let shade = 0; shade < SHADES; shade++) {
      const share = shade === 0 ? 0 : shareOf(kind, shade);
      const [red = 0, green = 0, blue = 0] = empty.map(
        (part, i) => part + ((full[i] ?? 0) - part) * share,
      );
      palette[kind * SHADES + shade] = (255 << 24) | (blue << 16) | (green << 8) | red;
    }
  }
  return palette;
}

/**
 * Share of the full colour. Age classes have one colour each; a highlighted processor has the full colour for
 * any number of entries.
 */
function shareOf(kind: number, shade: number): number {
  if (kind >= KIND.age) return AGE_SHARES[kind - KIND.age] ?? 1;
  return kind === KIND.chosen ? 1 : Math.min(1, 0.14 + (shade / (SHADES - 1)) * 1.1);
}

const AGE_SHARES = [1, 0.7, 0.44, 0.24];

/** The image of the tones, reused from frame to frame to avoid allocation. */
export class TonesImage {
  private readonly canvas = document.createElement('canvas');
  private pixels: ImageData | null = null;

  /** One pixel for each column of each strip. */
  draw(
    { columns, strips }: StripsModel,
    tones: Uint8Array,
    palette: Uint32Array,
  ): HTMLCanvasElement {
    const { canvas } = this;
    if (canvas.width !== columns || canvas.height !== strips.length) {
      canvas.width = columns;
      canvas.height = Math.max(1, strips.length);
      this.pixels = null;
    }
    const context = canvas.getContext('2d');
    if (!context) return canvas;
    this.pixels ??= context.createImageData(columns, Math.max(1, strips.length));
    const cells = new Uint32Array(this.pixels.data.buffer);
    for (let i = 0; i < tones.length; i++) cells[i] = palette[tones[i] as number] as number;
    context.putImageData(this.pixels, 0, 0);
    return canvas;
  }
}

const font = (brush: Brush, size: number, weight = 400): string =>
  `${weight} ${size}px ${brush.color('--font-tight')}`;

/** Images of the strips: what was handed out at full height, and what is long-lived at mid-height. */
export interface StripImages {
  readonly strips: TonesImage;
  readonly held: TonesImage;
}

/** Share of a strip's height that long-lived entries take. */
const HELD_HEIGHT = 0.42;

const rgba = ([red, green, blue]: Color, share: number): number =>
  ((Math.round(share * 255) << 24) | (blue << 16) | (green << 8) | red) >>> 0;

/** Trail: shades by age, in the colours of requests at home, spilled, and of the highlighted processor. */
function trailPalette({ color }: Brush): Uint32Array {
  const hues = ['--c-1', '--pool-spilled', '--st-flight-line'];
  const palette = new Uint32Array(hues.length * SHADES);
  hues.forEach((hue, kind) => {
    for (let shade = 1; shade < SHADES; shade++)
      palette[kind * SHADES + shade] = rgba(parse(color(hue)), shade / (SHADES - 1));
  });
  return palette;
}

/** Long-lived entries only, by how many of them there are under a column. */
function heldPalette({ color }: Brush): Uint32Array {
  const palette = new Uint32Array(SHADES * KINDS);
  const ink = parse(color('--ink-3'));
  for (let shade = 1; shade < SHADES; shade++)
    palette[KIND.held * SHADES + shade] = rgba(ink, Math.min(0.85, 0.1 + (shade / SHADES) * 0.75));
  return palette;
}

function ownersPalette(brush: Brush): Uint32Array {
  const palette = paletteOf(brush);
  palette.fill(0, KIND.held * SHADES, (KIND.held + 1) * SHADES);
  for (let kind = 0; kind < KINDS; kind++) palette[kind * SHADES] = 0;
  return palette;
}

export function paintStrips(brush: Brush, picture: StripsPicture, images: StripImages): void {
  const { context, color } = brush;
  const { model } = picture;
  const { left, right, strips, height, columns, tones, trail } = model;
  const full = trail
    ? images.strips.draw(model, trail, trailPalette(brush))
    : images.strips.draw(model, tones, ownersPalette(brush));
  const held = images.held.draw(model, tones, heldPalette(brush));
  context.imageSmoothingEnabled = false;
  const isAlone = model.bit !== null;
  strips.forEach((strip, row) => {
    const width = strip.right - left;
    const across = Math.max(1, Math.round((columns * width) / (right - left)));
    context.fillStyle = color('--line-1');
    context.fillRect(left, strip.y, width, height);
    context.drawImage(full, 0, row, across, 1, left, strip.y, width, height);
    const low = isAlone ? height : Math.max(3, height * HELD_HEIGHT);
    context.drawImage(held, 0, row, across, 1, left, strip.y + (height - low) / 2, width, low);
  });
  paintBits(brush, model);
  paintHeads(brush, picture);
  for (const strip of strips)
    if (strip.head) paintRow(brush, picture, strip);
    else paintLine(brush, picture, strip);
  paintLocks(brush, picture);
  paintSpills(brush, picture);
  paintReserved(brush, picture);
  paintLens(brush, picture);
  const mark = picture.marked === null ? null : placeOf(model, picture.marked);
  if (!mark) return;
  context.fillStyle = color('--mark');
  context.fillRect(mark.x - 1, mark.y - 2, 3, height + 4);
}

/** Frames around the reserved entries, line by line; filled while the pointer reserves. */
function paintReserved(
  { context, color }: Brush,
  { model, reserved, isReserving }: StripsPicture,
): void {
  for (const strip of model.strips)
    for (const range of reserved) {
      const [from, to] = [Math.max(range.from, strip.from), Math.min(range.to, strip.to)];
      if (from >= to) continue;
      const width = strip.right - model.left;
      const at = (entry: number) =>
        model.left + ((entry - strip.from) / (strip.to - strip.from)) * width;
      const box = [at(from), strip.y - 0.5, at(to) - at(from), model.height + 1] as const;
      context.globalAlpha = isReserving ? 0.3 : 0;
      context.fillStyle = color('--accent');
      context.fillRect(...box);
      context.globalAlpha = 1;
      context.strokeStyle = color('--accent');
      context.lineWidth = 1.5;
      context.strokeRect(...box);
    }
}

/** A wrap is seen for so long, in milliseconds of the run. */
const WRAP_MS = 4;
/** A spill is shown for so long. */
const SPILL_MS = 1.5;

/** What the search has swept since the start of its pool, and the way back of a wrap. */
function paintSweep(brush: Brush, picture: StripsPicture, { y, cursor, right, use }: Strip): void {
  const { context, color } = brush;
  const { model, trail } = picture;
  if (cursor === null || !trail || model.step < 9) return;
  const low = y + model.height + 1.5;
  context.fillStyle = color('--line-4');
  context.fillRect(model.left, low, cursor - model.left, 1);
  const { count, lastMs } = trail.wraps(use.pool.number);
  const age = trail.nowMs - lastMs;
  if (count === 0 || age > WRAP_MS) return;
  context.globalAlpha = 1 - age / WRAP_MS;
  context.strokeStyle = color('--accent');
  context.lineWidth = 1.5;
  context.beginPath();
  context.moveTo(right + 1, y + model.height / 2);
  context.lineTo(right + 5, y + model.height / 2);
  context.lineTo(right + 5, low);
  context.lineTo(model.left, low);
  context.stroke();
  context.globalAlpha = 1;
}

/** Width of a lock at the left of the strips, and most waiting CPUs that are drawn beside it. */
const LOCK = 16;
const MOST_WAITING = 3;

/** One pool in many lines has one lock, whose queue stands beside them. */
const hasQueue = ({ strips, names }: StripsModel): boolean =>
  names !== null &&
  strips.length > 4 &&
  strips[0]?.use.pool.lock != null &&
  strips.filter(({ head }) => head).length === 1;

/** The lock of each pool: who holds it and who waits, or for which share of the time it is held. */
function paintLocks(brush: Brush, picture: StripsPicture): void {
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

function paintHolder(brush: Brush, { model, scale }: StripsPicture, { y, use }: Strip): void {
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

function heldShare({ use }: Strip, timePs: number): number {
  return timePs > 0 ? Math.min(1, (use.pool.lock?.holdTime ?? 0) / timePs) : 0;
}

function paintHeldShare(brush: Brush, { model, scale, timePs }: StripsPicture, strip: Strip): void {
  const { context, color } = brush;
  const [width, height] = [18 * scale, model.height * 0.7];
  const x = model.left - width - 8 * scale;
  const top = strip.y + model.height * 0.15;
  const share = heldShare(strip, timePs);
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
function paintQueue(brush: Brush, { model, scale, lockPace, timePs }: StripsPicture): void {
  const { context, color } = brush;
  const [head] = model.strips;
  const last = model.strips.at(-1);
  if (!head || !last) return;
  const { holder, waiting } = head.use.pool;
  const slot = Math.min(22 * scale, (last.y + model.height - head.y) / 12);
  const x = model.left - 108 * scale;
  const share = heldShare(head, timePs);
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

/** From a full pool to the one that its request went on to. */
function paintSpills(brush: Brush, { model, trail, scale }: StripsPicture): void {
  const { context, color } = brush;
  for (const { from, pool } of trail?.spills(SPILL_MS) ?? []) {
    const [start, end] = [from, pool].map((number) =>
      model.strips.find(({ head, use }) => head && use.pool.number === number),
    );
    if (!start || !end) continue;
    const [top, low] = [start.y + model.height / 2, end.y + model.height / 2];
    const x = model.left - 3;
    const bend = 18 * scale + Math.min(26, Math.abs(low - top) * 0.15);
    context.strokeStyle = context.fillStyle = color('--pool-spilled');
    context.lineWidth = 2;
    context.beginPath();
    context.moveTo(x, top);
    context.bezierCurveTo(x - bend, top, x - bend, low, x - 2, low);
    context.stroke();
    context.beginPath();
    context.moveTo(x + 3, low);
    context.lineTo(x - 4, low - 4);
    context.lineTo(x - 4, low + 4);
    context.fill();
  }
}

/** Zoomed in to single entries, gaps separate them. */
function paintBits(brush: Brush, model: StripsModel): void {
  const { context, color } = brush;
  const { strips, left, height, bit } = model;
  if (bit === null) return;
  context.fillStyle = color('--sheet');
  for (const { y, right } of strips)
    for (let x = left + bit; x < right - 1; x += bit) context.fillRect(x - 0.5, y, 1, height);
  paintLost(brush, model, bit);
}

/** Entries at the end of a pool that are never allocated are outlines. */
function paintLost({ context, color }: Brush, model: StripsModel, bit: number): void {
  const { strips, tones, columns, left, height } = model;
  context.lineWidth = 1;
  context.fillStyle = color('--sheet');
  context.strokeStyle = color('--line-3');
  strips.forEach(({ y, from, to, use }, row) => {
    for (let entry = Math.max(from, use.pool.usable); entry < to; entry++) {
      if (tones[row * columns + entry - from] !== 0) continue;
      const x = left + (entry - from) * bit;
      context.fillRect(x, y, bit, height);
      context.strokeRect(x + 1.5, y + 0.5, bit - 3, height - 1);
    }
  });
}

const HEADS = { used: 'in use', free: 'longest free', locks: 'lock taken' } as const;

function paintHeads(brush: Brush, { model, scale }: StripsPicture): void {
  const { context, color } = brush;
  const [first] = model.strips;
  const y = 13 * scale;
  context.font = font(brush, 10.5 * scale);
  context.fillStyle = color('--ink-3');
  context.textAlign = 'left';
  context.fillText(hasQueue(model) ? 'one lock' : 'pool', 6 * scale, y);
  if (model.names !== null && !hasQueue(model)) context.fillText('used by', model.names, y);
  if (first) {
    const { start } = first.use.pool;
    context.fillText(`entry ${integer(first.from - start)}`, model.left, y);
    context.textAlign = 'right';
    context.fillText(integer(first.to - start - 1), model.right, y);
  }
  context.textAlign = 'right';
  for (const { id, x } of model.table) context.fillText(HEADS[id], x, y);
}

/** Least font size in low lines. */
const LEAST_WORDS = 10;

/** More names do not fit beside the strips. */
const MOST_NAMES = 3;

const holdersText = (holders: readonly number[]): string => {
  if (holders.length === 0) return 'nobody';
  return holders.length <= MOST_NAMES ? `CPU ${holders.join(', ')}` : `${holders.length} CPUs`;
};

function paintRow(brush: Brush, picture: StripsPicture, strip: Strip): void {
  const { context, color } = brush;
  const { model, scale, active, chosen } = picture;
  const { use, y, named } = strip;
  if (chosen !== null && use.holders.includes(chosen) && !hasQueue(model)) {
    context.fillStyle = color('--mark');
    context.fillRect(6 * scale, y, model.left - 12 * scale, model.height);
  }
  const idle = use.pool.locks === 0;
  if (named) paintWords(brush, picture, strip, idle);
  if (strip.cursor === null || idle) return;
  paintSweep(brush, picture, strip);
  paintCursor(brush, strip.cursor, y, model.height, use.pool.number === active);
}

/** The name of a pool, its processors, and its numbers. */
function paintWords(
  brush: Brush,
  { model, scale }: StripsPicture,
  { use, y }: Strip,
  idle: boolean,
) {
  const { context, color } = brush;
  const size = Math.min(11.5 * scale, Math.max(model.step, LEAST_WORDS * scale));
  const base = y + model.height / 2 + size * 0.36;
  const ink = color(idle ? '--ink-3' : '--ink-1');
  context.fillStyle = ink;
  context.textAlign = 'right';
  context.font = font(brush, size, idle ? 400 : 600);
  if (!hasQueue(model))
    context.fillText(use.pool.large ? 'large' : String(use.pool.number), 30 * scale, base);
  context.font = font(brush, size);
  const values = {
    used: percent(use.share * 100, 1),
    free: integer(use.longestFree),
    locks: integer(use.pool.locks),
  };
  for (const { id, x } of model.table) context.fillText(values[id], x, base);
  context.textAlign = 'left';
  if (hasQueue(model)) {
    context.textAlign = 'right';
    context.fillText(integer(use.pool.start), model.left - 7 * scale, base);
  } else if (model.names !== null) context.fillText(holdersText(use.holders), model.names, base);
}

/** A continued line of the pool above: its first entry, and the cursor if it is here. */
function paintLine(brush: Brush, { model, scale }: StripsPicture, strip: Strip) {
  const { context, color } = brush;
  const { y, from, cursor, named } = strip;
  const size = Math.min(10.5 * scale, Math.max(model.step, LEAST_WORDS * scale));
  context.fillStyle = color('--ink-3');
  context.font = font(brush, size);
  context.textAlign = 'right';
  const base = y + model.height / 2 + size * 0.36;
  if (named && model.names !== null) context.fillText(integer(from), model.left - 7 * scale, base);
  if (cursor !== null) paintCursor(brush, cursor, y, model.height, true);
}

/** A line with an arrow head in the direction of the next search. */
function paintCursor(
  { context, color }: Brush,
  x: number,
  y: number,
  height: number,
  active: boolean,
) {
  context.fillStyle = color('--ink-1');
  context.fillRect(x - 0.75, y - 2, active ? 2.25 : 1.5, height + 4);
  context.beginPath();
  context.moveTo(x, y - 1.5);
  context.lineTo(x + Math.min(11, height * 0.7), y + height / 2);
  context.lineTo(x, y + height + 1.5);
  context.fill();
}

function paintLens({ context, color }: Brush, { model, lens }: StripsPicture): void {
  const from = lens && placeOf(model, lens.first);
  if (!lens || !from) return;
  const to = placeOf(model, lens.first + lens.entries - 1);
  const end = to && to.y === from.y ? to.x : model.right;
  context.strokeStyle = color('--accent');
  context.lineWidth = 1.5;
  context.strokeRect(from.x - 3, from.y - 2.5, Math.max(6, end - from.x + 6), model.height + 5);
}
