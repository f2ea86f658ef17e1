/**
 * Recorded references: both formats are read, errors have a position, and a reference cache model gives the same
 * counts.
 */
import { beforeAll, expect, test } from 'vitest';
import { inlineChecks } from '../../engine/engine-code-inline';
import { type ByteSource, sourceOf } from '../pools/map-trace';
import { type CacheShape, replayReferences } from './reference-trace';

let module: WebAssembly.Module;
beforeAll(async () => {
  module = await inlineChecks();
});

const bytes = (text: string) => new TextEncoder().encode(text);
const played = (text: string, shape: Partial<CacheShape> = {}) =>
  replayReferences(module, { cpus: 1, params: {}, ...shape }, sourceOf(bytes(text)));

/** Returns a few bytes at a time, so that lines are split anywhere. */
function inPieces(text: string, piece: number): ByteSource {
  const all = bytes(text);
  let at = 0;
  return {
    read(into) {
      const part = all.subarray(at, at + Math.min(piece, into.length));
      into.set(part);
      at += part.length;
      return part.length;
    },
  };
}

test('din and lackey, with blanks, comments, Windows line ends and an unterminated last line', () => {
  const din = played('0 1000\n1 0x1004\n# a remark\n\n2 4000\r\n0\t1020 0');
  expect(din).toMatchObject({ loads: 2, stores: 1, instructions: 1, hits: 1, misses: 2 });
  const lackey = played('==7== lackey\nI  04000000,3\n L 1ffefffe18,8\n S 1ffefffe20,4\n');
  expect(lackey).toMatchObject({ loads: 1, stores: 1, instructions: 1, misses: 2 });
});

test('a modify is a load and a store, and a reference counts for each line it touches', () => {
  expect(played(' M 1000,4\n')).toMatchObject({ loads: 1, stores: 1, hits: 1, misses: 1 });
  expect(played(' L 101c,8\n')).toMatchObject({ references: 2, misses: 2 });
  expect(played(' S 1000,128\n')).toMatchObject({ references: 4, misses: 4 });
});

test('64-bit addresses that differ only above 4 GiB are different lines', () => {
  const report = played('0 7fff00001000\n0 1000\n0 ffffffff00001000\n0 7fff00001000\n', {
    params: { ways: '4' },
  });
  expect(report).toMatchObject({ hits: 1, misses: 3 });
});

test.each([
  ['3 1000', 'line 3, column 1: a line begins with'],
  ['x', 'line 3, column 1: a line begins with'],
  ['0 g', 'line 3, column 3: a hexadecimal address'],
  ['0 12345678123456789', 'line 3, column 19: a hexadecimal address'],
  [' L 1000', 'line 3, column 8: a comma and the number of bytes'],
  [' S 1000,0', 'line 3, column 9: a comma and the number of bytes'],
  ['0 1000 z', 'line 3, column 8: only the number of a processor'],
  ['0 1000 2', 'line 3, column 8: there is no processor 2; choose more processors'],
  ['0'.repeat(3 << 20), 'line 3, column 1: this line is too long'],
])('an invalid line is refused with its position (%#)', (line, message) => {
  expect(() => played(`0 10\n1 20\n${line}\n0 30\n`)).toThrow(message);
});

test('invalid cache shapes are refused', () => {
  expect(() => played('0 0', { params: { size: '3 KiB' } })).toThrow(
    '3 KiB is not: the nearest are 2 KiB and 4 KiB',
  );
  expect(() => played('0 0', { params: { size: 'much' } })).toThrow('not a size');
});

test('lines may have any size, because they are only counted', () => {
  const misses = (line: string) => played('0 0\n0 20\n0 40\n0 60\n', { params: { line } }).misses;
  expect(['16 B', '32 B', '64 B', '128 B'].map(misses)).toEqual([4, 4, 2, 1]);
});

/** A write-back cache with least-recently-used replacement, one list for each set. */
function plainCounts(trace: readonly (readonly [number, boolean])[], sets: number, ways: number) {
  const cache = Array.from({ length: sets }, (): { tag: number; dirty: boolean }[] => []);
  const counts = { hits: 0, misses: 0, write_backs: 0 };
  for (const [address, store] of trace) {
    const tag = Math.floor(address / 32);
    const set = cache[tag % sets] ?? [];
    const at = set.findIndex((line) => line.tag === tag);
    const [line = { tag, dirty: false }] = at < 0 ? [] : set.splice(at, 1);
    if (at < 0) counts.misses++;
    else counts.hits++;
    line.dirty ||= store;
    if (at < 0 && set.length === ways && set.shift()?.dirty) counts.write_backs++;
    set.push(line);
  }
  const dirty = cache.flat().filter((line) => line.dirty).length;
  return {
    ...counts,
    states: { private_clean: cache.flat().length - dirty, private_dirty: dirty },
  };
}

test.each([
  [1, 128, 1],
  [2, 32, 4],
  [3, 8, 16],
  [4, 1, 2],
])(
  'trace %i: hits, misses, write-backs and states equal those of a reference model',
  (seed, sets, ways) => {
    let state = seed;
    const random = (n: number) => {
      state = (state * 48271) % 2147483647;
      return state % n;
    };
    const trace = Array.from(
      { length: 20_000 },
      () => [random(3) ? random(2048) * 4 : 65536 + random(4096) * 4, random(4) === 0] as const,
    );
    const text = trace.map(([at, store]) => `${store ? 1 : 0} ${at.toString(16)}\n`).join('');
    const shape = { cpus: 1, params: { size: `${sets * ways * 32} B`, ways: String(ways) } };
    const { hits, misses, write_backs, states } = replayReferences(
      module,
      shape,
      inPieces(text, 7 + 1000 * seed),
    );
    const { private_clean, private_dirty } = states;
    expect({ hits, misses, write_backs, states: { private_clean, private_dirty } }).toEqual(
      plainCounts(trace, sets, ways),
    );
  },
);

test('a line stored to by another processor is invalidated, and supplied by its owner', () => {
  const { caches } = played('1 40 0\n1 40 1\n0 40 0\n', { cpus: 2 });
  expect(caches[0]).toMatchObject({ misses: 2, invalidated: 1, copies: 1 });
  expect(caches[1]).toMatchObject({ misses: 1, copies: 1, states: { shared: 1 } });
});
