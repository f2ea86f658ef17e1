/**
 * Drawings as data: a list of shapes in painting order, in the drawing's own units. Classes are those of
 * drawing.css, so a drawing names roles, not colours. Widgets turn shapes into SVG.
 */
export type Shape =
  | {
      readonly kind: 'rect';
      readonly cls: string;
      readonly x: number;
      readonly y: number;
      readonly width: number;
      readonly height: number;
      readonly opacity?: number;
    }
  | { readonly kind: 'path'; readonly cls: string; readonly d: string; readonly opacity?: number }
  | {
      readonly kind: 'circle';
      readonly cls: string;
      readonly x: number;
      readonly y: number;
      readonly r: number;
    }
  | {
      readonly kind: 'text';
      readonly cls: string;
      readonly x: number;
      readonly y: number;
      readonly text: string;
    };

/** Hundredths of a unit are finer than any screen and keep the numbers short. */
const round = (value: number): number => Math.round(value * 100) / 100;

export const rect = (
  x: number,
  y: number,
  width: number,
  height: number,
  cls: string,
  opacity = 1,
): Shape => ({
  kind: 'rect',
  cls,
  x: round(x),
  y: round(y),
  width: round(Math.max(0, width)),
  height: round(Math.max(0, height)),
  ...(opacity < 1 ? { opacity } : {}),
});

export const line = (x1: number, y1: number, x2: number, y2: number, cls: string): Shape =>
  path(`M${round(x1)} ${round(y1)}L${round(x2)} ${round(y2)}`, cls);

export const path = (d: string, cls: string, opacity = 1): Shape => ({
  kind: 'path',
  cls,
  d,
  ...(opacity < 1 ? { opacity } : {}),
});

export const circle = (x: number, y: number, r: number, cls: string): Shape => ({
  kind: 'circle',
  cls,
  x: round(x),
  y: round(y),
  r: round(r),
});

export const words = (x: number, y: number, text: string, cls: string): Shape => ({
  kind: 'text',
  cls,
  x: round(x),
  y: round(y),
  text,
});

/** A path through points given as x, y, x, y ...: "M1 2L3 4z". */
export function polyline(xy: readonly number[], closed = true): string {
  let steps = '';
  for (let i = 0; i + 1 < xy.length; i += 2)
    steps += `${i === 0 ? 'M' : 'L'}${round(xy[i] ?? 0)} ${round(xy[i + 1] ?? 0)}`;
  return steps + (closed ? 'z' : '');
}
