/** Values that papers state or measured: what simulated numbers are compared with. Never an input. */

import { hint, quote } from '../../base/suggest';
import data from './published.json';

export interface Figure {
  readonly id: string;
  readonly value: number;
  /** From and to, where the paper gives no single value; `value` is then their middle. */
  readonly range?: readonly number[];
  /** Where the paper says only on which side of `value` it is. */
  readonly side?: string;
  readonly unit: string;
  /** measured: a reading of theirs; stated: a sentence of theirs. */
  readonly kind: string;
  readonly title: string;
  readonly quantity: string;
  /** Where in the paper. */
  readonly source: string;
  readonly conditions: string;
}

const byId: ReadonlyMap<string, Figure> = new Map(data.figures.map((row) => [row.id, row]));

/** How far a measured value may lie from its like: in its unit, either way. */
export interface Noise {
  readonly value: number;
  readonly basis: string;
}

export const figure = (id: string): Figure | undefined => byId.get(id);

export const figureIds = (): Iterable<string> => byId.keys();

/** What is said of a name that no published figure has. */
export const noFigure = (id: string): string =>
  `There is no published figure ${quote(id)}${hint(id, figureIds())}`;

/** The paper that a system's figures come from. */
export const paperOf = (system: string): string =>
  (data.papers as Readonly<Record<string, string>>)[system] ?? '';

/** "gt.dma_write.*" names every figure that starts so. */
export function matches(pattern: string, id: string): boolean {
  return pattern.endsWith('*') ? id.startsWith(pattern.slice(0, -1)) : pattern === id;
}

/** The table or column a figure belongs to: "gt.dma_write" for "gt.dma_write.512". */
export const columnOf = (id: string): string => id.slice(0, id.lastIndexOf('.'));

/** What the source says, or shows, of the noise of a figure. */
export const noiseOf = (id: string): Noise | undefined =>
  data.noise.find(({ figures }) => figures.some((pattern) => matches(pattern, id)));
