/** An engine that opens anything and traps in `run`, like one with a broken invariant. */
import type { EngineCode } from '../../src/engine/engine-code';

const I32 = 0x7f;
const section = (id: number, items: readonly (readonly number[])[]) => {
  const body = [items.length, ...items.flat()];
  return [id, body.length, ...body];
};
const text = (name: string) => [name.length, ...new TextEncoder().encode(name)];

/** Functions by name: parameters, and a constant to return, nothing, or a trap. */
const FUNCTIONS: readonly (readonly [string, number, number | 'nothing' | 'trap'])[] = [
  ['session', 1, 8],
  ['open', 1, 0],
  ['engine', 0, 16],
  ['run', 4, 'trap'],
  ['look', 0, 32],
  ['record', 1, 'nothing'],
  ['fail_allocation', 1, 'nothing'],
];

function code(does: number | 'nothing' | 'trap'): number[] {
  const steps = does === 'trap' ? [0x00] : does === 'nothing' ? [] : [0x41, does];
  return [steps.length + 2, 0, ...steps, 0x0b];
}

/** Its code, assembled by hand; it knows no parts. */
export function brokenCode(): EngineCode {
  const types = FUNCTIONS.map(([, params, does]) => {
    const results = does === 'nothing' ? [0] : [1, I32];
    return [0x60, params, ...Array<number>(params).fill(I32), ...results];
  });
  const exports = FUNCTIONS.map(([name], i) => [...text(name), 0, i]);
  const bytes = [
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, types),
    ...section(
      3,
      FUNCTIONS.map((_, i) => [i]),
    ),
    ...section(5, [[0, 1]]),
    ...section(7, [...exports, [...text('memory'), 2, 0]]),
    ...section(
      10,
      FUNCTIONS.map(([, , does]) => code(does)),
    ),
  ];
  return { module: new WebAssembly.Module(Uint8Array.from(bytes)), parts: [] };
}
