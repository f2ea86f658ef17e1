/** Published values with which simulated results are compared. They are never inputs. */

import { hint, quote } from '../../base/suggest';
import data from './published.json';

export interface Figure {
  readonly id: string;
  /** The column of a table, with an asterisk for the part of the id that differs; by default the last part differs. */
  readonly column?: string;
  readonly value: number;
  /** Lower and upper bound, if the paper gives no single value; `value` is then the middle. */
  readonly range?: readonly number[];
  /** The side of `value` on which the result lies, if the paper gives only that. */
  readonly side?: string;
  readonly unit: string;
  /** measured: a measurement of the authors; stated: a statement of the authors. */
  readonly kind: string;
  readonly title: string;
  readonly quantity: string;
  /** Section, table or figure of the paper. */
  readonly source: string;
  readonly conditions: string;
}

const byId: ReadonlyMap<string, Figure> = new Map(data.figures.map((row) => [row.id, row]));

/** Measurement noise, as an absolute deviation in either direction, in the value's unit. */
export interface Noise {
  readonly value: number;
  readonly basis: string;
}

export const figure = (id: string): Figure | undefined => byId.get(id);

export const figureIds = (): Iterable<string> => byId.keys();

/** The message for an unknown figure. */
export const noFigure = (id: string): string =>
  `There is no published figure ${quote(id)}${hint(id, figureIds())}`;

/** The paper with a system's figures. */
export const paperOf = (system: string): string =>
  (data.papers as Readonly<Record<string, string>>)[system] ?? '';

/** "gt.dma_write.*" matches every figure that starts so. */
export function matches(pattern: string, id: string): boolean {
  return pattern.endsWith('*') ? id.startsWith(pattern.slice(0, -1)) : pattern === id;
}

/** The column of a figure: "gt.dma_write" for "gt.dma_write.512", "zx1.t4.*.tcp" for "zx1.t4.1024.tcp". */
export const columnOf = (id: string): string =>
  figure(id)?.column ?? id.slice(0, id.lastIndexOf('.'));

/** The part of a figure's id that tells it from the others of its column: "512" for "gt.dma_write.512". */
function rowOf(id: string): string {
  const at = columnOf(id).split('.').indexOf('*');
  return id.split('.').at(at) ?? '';
}

/** The column of a figure whose rows differ by a number, such as a size; otherwise ''. */
export const numberedColumnOf = (id: string): string =>
  /^\d+$/.test(rowOf(id)) ? columnOf(id) : '';

/** What a figure shows, so that figures that show the same count once: a column of sizes, or several figures listed. */
export const phenomenonOf = (id: string): string =>
  data.phenomena.find(({ figures }) => figures.includes(id))?.title ?? (numberedColumnOf(id) || id);

/** The noise of a figure, as stated or shown by its source. */
export const noiseOf = (id: string): Noise | undefined =>
  data.noise.find(({ figures }) => figures.some((pattern) => matches(pattern, id)));
