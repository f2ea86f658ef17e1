/**
 * Two moments in one drawing: what only the other run shows lies over this one as a ghost. Words are left out, as words
 * over words could not be read; `differentWords` lists them beside the drawing.
 */
import type { Pool, PoolMap } from '../../model/pools/pool-bitmap';
import { rect, type Shape } from '../shape';

const keyOf = (shape: Shape): string => JSON.stringify(shape);

/** The shapes of the other moment that this one does not have. */
export function ghostShapes(shown: readonly Shape[], other: readonly Shape[]): Shape[] {
  const known = new Set(shown.map(keyOf));
  return other.filter((shape) => shape.kind !== 'text' && !known.has(keyOf(shape)));
}

export interface DifferentWords {
  readonly title: string;
  readonly shown: string;
  readonly other: string;
}

/** "CPU 0: idle." is what a part does: its title, and the rest. */
const parted = (sentence: string): readonly [string, string] => {
  const at = sentence.indexOf(': ');
  return [sentence.slice(0, at), sentence.slice(at + 2).replace(/\.$/, '')];
};

/** The parts whose sentences differ. Both lists are in the order of the parts. */
export const differentWords = (
  shown: readonly string[],
  other: readonly string[],
): DifferentWords[] =>
  shown.flatMap((sentence, index) => {
    const their = other[index] ?? '';
    if (sentence === their) return [];
    const [title, words] = parted(sentence);
    return [{ title, shown: words, other: parted(their)[1] }];
  });

const isTaken = ({ bits }: PoolMap, entry: number): boolean =>
  (((bits[entry >> 5] ?? 0) >>> (entry & 31)) & 1) === 1;

const LEFT = 52;
const ROW = 12;

export interface GhostPools {
  readonly height: number;
  readonly names: readonly { readonly text: string; readonly y: number }[];
  /** Entries in use in both, in this run alone, and in the other alone. */
  readonly both: readonly Shape[];
  readonly shown: readonly Shape[];
  readonly other: readonly Shape[];
  readonly counts: { readonly shown: number; readonly other: number };
}

const nameOf = ({ large, number }: Pool): string => (large ? 'large' : String(number));

/** The pools of this run, row by row; entries that share a column are joined. */
export function ghostPools(shown: PoolMap, other: PoolMap, width: number): GhostPools {
  const [both, own, their]: Shape[][] = [[], [], []];
  const counts = { shown: 0, other: 0 };
  const names = shown.pools.map((pool, row) => ({ text: nameOf(pool), y: row * ROW + 9 }));
  shown.pools.forEach(({ start, end }, row) => {
    const scale = (width - LEFT) / Math.max(1, end - start);
    const step = Math.max(1, Math.ceil(1 / scale));
    const cell = Math.max(0.8, step * scale - (scale > 3 ? 0.6 : 0));
    for (let from = start; from < end; from += step) {
      let [hasOwn, hasTheir, hasBoth] = [false, false, false];
      for (let entry = from; entry < Math.min(end, from + step); entry++) {
        const [a, b] = [isTaken(shown, entry), isTaken(other, entry)];
        if (a && b) hasBoth = true;
        else if (a) hasOwn = Boolean(++counts.shown);
        else if (b) hasTheir = Boolean(++counts.other);
      }
      const bar = (top: number, height: number) =>
        rect(LEFT + (from - start) * scale, row * ROW + top, cell, height, '');
      if (hasBoth) both?.push(bar(1, 9));
      if (hasOwn) own?.push(bar(1, hasTheir ? 4.5 : 9));
      if (hasTheir) their?.push(hasOwn ? bar(5.5, 4.5) : bar(1, 9));
    }
  });
  const height = shown.pools.length * ROW;
  return { height, names, both: both ?? [], shown: own ?? [], other: their ?? [], counts };
}
