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
import type { Brush } from '../../widgets/CanvasView';

export interface StripsPicture {
  readonly model: StripsModel;
  readonly scale: number;
  /** First entry under the lens, and count. */
  readonly lens: { readonly first: number; readonly entries: number } | null;
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
    [KIND.own]: '--c-1',
    [KIND.foreign]: '--c-2',
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
  draw(model: StripsModel, palette: Uint32Array): HTMLCanvasElement {
    const { columns, strips, tones } = model;
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

export function paintStrips(brush: Brush, picture: StripsPicture, image: TonesImage): void {
  const { context, color } = brush;
  const { model } = picture;
  const { left, right, strips, height, columns } = model;
  const tones = image.draw(model, paletteOf(brush));
  context.imageSmoothingEnabled = false;
  strips.forEach((strip, row) => {
    const across = Math.max(1, Math.round((columns * (strip.right - left)) / (right - left)));
    context.drawImage(tones, 0, row, across, 1, left, strip.y, strip.right - left, height);
  });
  paintBits(brush, model);
  paintHeads(brush, picture);
  for (const strip of strips)
    if (strip.head) paintRow(brush, picture, strip);
    else paintLine(brush, picture, strip);
  paintLens(brush, picture);
  const mark = picture.marked === null ? null : placeOf(model, picture.marked);
  if (!mark) return;
  context.fillStyle = color('--mark');
  context.fillRect(mark.x - 1, mark.y - 2, 3, height + 4);
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
  context.fillText('pool', 6 * scale, y);
  if (model.names !== null) context.fillText('used by', model.names, y);
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
const LEAST_WORDS = 9;

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
  if (chosen !== null && use.holders.includes(chosen)) {
    context.fillStyle = color('--mark');
    context.fillRect(6 * scale, y, model.left - 12 * scale, model.height);
  }
  const idle = use.pool.locks === 0;
  if (named) paintWords(brush, picture, strip, idle);
  if (strip.cursor === null || idle) return;
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
  context.fillText(use.pool.large ? 'large' : String(use.pool.number), 30 * scale, base);
  context.font = font(brush, size);
  const values = {
    used: percent(use.share * 100, 1),
    free: integer(use.longestFree),
    locks: integer(use.pool.locks),
  };
  for (const { id, x } of model.table) context.fillText(values[id], x, base);
  context.textAlign = 'left';
  if (model.names !== null) context.fillText(holdersText(use.holders), model.names, base);
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
  const middle = y + height / 2;
  context.beginPath();
  context.moveTo(x, middle - 4.5);
  context.lineTo(x + 6, middle);
  context.lineTo(x, middle + 4.5);
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
