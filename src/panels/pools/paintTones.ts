/** The tones of the strips as small images, one pixel for each column of each strip, and their colours. */
import { KIND, KINDS, SHADES, type StripsModel } from '../../draw/pools/strips';
import type { Brush } from '../../widgets/CanvasView';

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
    [KIND.chosen]: '--pool-chosen',
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

/** Images of the strips: what was handed out at full height, and what is long-lived at mid-height. */
export interface StripImages {
  readonly strips: TonesImage;
  readonly held: TonesImage;
}

const rgba = ([red, green, blue]: Color, share: number): number =>
  ((Math.round(share * 255) << 24) | (blue << 16) | (green << 8) | red) >>> 0;

/** Trail: shades by age, in the colours of requests at home, spilled, and of the highlighted processor. */
export function trailPalette({ color }: Brush): Uint32Array {
  const hues = ['--c-1', '--pool-spilled', '--pool-chosen'];
  const palette = new Uint32Array(hues.length * SHADES);
  hues.forEach((hue, kind) => {
    for (let shade = 1; shade < SHADES; shade++)
      palette[kind * SHADES + shade] = rgba(parse(color(hue)), shade / (SHADES - 1));
  });
  return palette;
}

/** Long-lived entries only, by how many of them there are under a column. */
export function heldPalette({ color }: Brush): Uint32Array {
  const palette = new Uint32Array(SHADES * KINDS);
  const ink = parse(color('--ink-3'));
  for (let shade = 1; shade < SHADES; shade++)
    palette[KIND.held * SHADES + shade] = rgba(ink, Math.min(0.85, 0.1 + (shade / SHADES) * 0.75));
  return palette;
}

export function ownersPalette(brush: Brush): Uint32Array {
  const palette = paletteOf(brush);
  palette.fill(0, KIND.held * SHADES, (KIND.held + 1) * SHADES);
  for (let kind = 0; kind < KINDS; kind++) palette[kind * SHADES] = 0;
  return palette;
}
