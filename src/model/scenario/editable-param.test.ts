import { describe, expect, test } from 'vitest';
import { parseQuantity } from '../../base/quantity.mjs';
import type { ParamRule } from '../../engine/manifest';
import type { CompiledParam, CompiledPart } from './compiled';
import { type EditableNumber, editableParam } from './editable-param';

const part = {
  name: 'part',
  params: [],
  type: {
    enums: {
      mode: [
        { name: 'off', title: 'switched off', style: 'none', doc: '' },
        { name: 'on', title: 'on', style: 'solid', doc: '' },
      ],
    },
  },
} as unknown as CompiledPart;

function param(type: string, value: bigint, changes: Partial<CompiledParam> = {}): CompiledParam {
  const spec = { type, min: '0', max: '1000000000000' } as CompiledParam['spec'];
  return { spec, value, original: value, variable: false, ...changes } as CompiledParam;
}

function number(type: string, value: bigint, changes: Partial<CompiledParam> = {}): EditableNumber {
  const found = editableParam(part, param(type, value, changes));
  if (found?.kind !== 'number') throw new Error('not a number');
  return found;
}

test.each([
  ['bytes', 128n, 1],
  ['bytes', 8192n, 1024],
  ['count', 64n, 1],
  ['time', 128_500n, null],
  ['rate', 2_000_000n, null],
])('a parameter of %s, %d, reports its whole unit', (type, value, whole) => {
  expect(number(type, value).whole).toBe(whole);
});

describe('a parameter that can be dragged', () => {
  test.each([
    ['time', 128_500n, 128.5, 'ns', 1],
    ['time', 65_104n, 65.104, 'ns', 3],
    ['time', 8_270_000n, 8.27, 'µs', 2],
    ['time', 600_000n, 600, 'ns', 0],
    ['bytes', 128n, 128, 'B', 0],
    ['bytes', 8192n, 8, 'KiB', 0],
    ['clock', 66_666_667n, 66.666667, 'MHz', 3],
    ['count', 64n, 64, '', 0],
  ])('of %s %s is shown in a suitable unit', (type, value, shown, unit, decimals) => {
    expect(number(type, value)).toMatchObject({ value: shown, unit, decimals });
  });

  test.each([
    ['time', 128_500n],
    ['time', 8_270_123n],
    ['bytes', 8192n],
    ['bytes', 100n],
    ['clock', 66_666_667n],
    ['count', 640n],
    ['rate', 205_000_000n],
  ] as const)('of %s %s converts back to the same value', (type, value) => {
    const editable = number(type, value);
    expect(parseQuantity(editable.text(editable.value), type)).toBe(value);
  });

  test('converts text in any unit to its own unit', () => {
    const editable = number('time', 8_270_000n);
    expect(editable.number('14270 ns')).toBe(14.27);
    expect(editable.number('soon')).toBeNull();
  });

  test('keeps its unit during editing, and accepts typed values beyond its track', () => {
    const edited = number('time', 14_270_000n, { original: 8_270_000n });
    expect(edited).toMatchObject({ value: 14.27, original: 8.27, unit: 'µs' });
    expect(edited.track.max).toBeGreaterThan(14.27);
    expect(edited.track.max).toBeLessThan(edited.max);
  });

  test('has a track that includes its value', () => {
    for (const value of [0n, 1n, 500n, 4_000_000n, 900_000_000_000n]) {
      const { track, value: at } = number('time', value, { original: 128_500n });
      expect(at).toBeGreaterThanOrEqual(track.min);
      expect(at).toBeLessThanOrEqual(track.max);
    }
  });

  test('of zero bytes has a linear track, because a logarithmic one cannot show zero', () => {
    expect(number('bytes', 0n).track).toMatchObject({ min: 0, log: false });
  });

  test('has no steps finer than the unit of the engine', () => {
    expect(number('time', 2_000n).step).toBeGreaterThanOrEqual(0.001);
    expect(number('count', 3n).step).toBe(1);
  });
});

describe('a size with a rule', () => {
  const param = (name: string, type: string, value: bigint, rule?: ParamRule) =>
    ({
      spec: { name, title: name, type, min: '64', max: '4194304', ...(rule ? { rule } : {}) },
      value,
      original: value,
      variable: false,
    }) as CompiledParam;
  const ways = param('ways', 'count', 4n);
  const rule: ParamRule = { of: ['ways', '32'], powerOfTwo: true, mask: false, atMost: [] };
  const cache = (size: bigint, original = size): EditableNumber => {
    const own = { ...param('size', 'bytes', size, rule), original };
    const type = { enums: {}, params: [own.spec, ways.spec] };
    const part = { name: 'cache', type, params: [own, ways] } as unknown as CompiledPart;
    const found = editableParam(part, own);
    if (found?.kind !== 'number' || !found.legal) throw new Error('no number with a rule');
    return found;
  };

  test('states its rule and refuses other sizes with the nearest valid ones', () => {
    const { legal, unit } = cache(262_144n);
    expect(unit).toBe('KiB');
    expect(legal?.rule).toBe('"ways" × 32 B times a power of two');
    expect(legal?.refuse(128)).toBeNull();
    expect(legal?.refuse(100)).toContain('100 KiB is not: the nearest are 64 KiB and 128 KiB.');
    expect(legal?.near(100)).toBe(128);
    expect(legal?.next(256, 1)).toBe(512);
    expect(legal?.next(256, -2)).toBe(64);
    expect(legal?.next(4096, 1)).toBe(4096);
  });

  test('limits the parameters that its rule refers to', () => {
    const own = param('size', 'bytes', 4096n, rule);
    const type = { enums: {}, params: [own.spec, ways.spec] };
    const other = { ...ways, spec: { ...ways.spec, min: '1', max: '16' } };
    const part = { name: 'cache', type, params: [own, other] } as unknown as CompiledPart;
    const found = editableParam(part, other);
    if (found?.kind !== 'number' || !found.legal) throw new Error('no number with a rule');
    expect(found.legal.rule).toBe('such that "size" is "ways" × 32 B times a power of two');
    expect(found.legal.next(4, 1)).toBe(8);
    expect(found.legal.next(16, 1)).toBe(16);
    expect(found.legal.near(7)).toBe(8);
    expect(found.legal.refuse(3)).toContain('"size" of "cache"');
  });

  test('may be smaller than its unit, and is then shown in a smaller one', () => {
    const { text, legal } = cache(262_144n);
    expect(legal?.refuse(0.5)).toBeNull();
    expect(text(0.5)).toBe('512 B');
    expect(text(0.25)).toBe('256 B');
    expect(cache(512n, 262_144n)).toMatchObject({ value: 512, unit: 'B' });
  });
});

test('a choice offers the options in the manifest', () => {
  const choice = editableParam(part, param('mode', 1n));
  expect(choice).toEqual({
    kind: 'choice',
    value: 'on',
    original: 'on',
    options: [
      { value: 'off', title: 'switched off' },
      { value: 'on', title: 'on' },
    ],
    written: expect.any(Function),
  });
  const flag = editableParam(part, param('flag', 0n));
  expect(flag).toMatchObject({ kind: 'choice', value: 'false' });
  if (choice?.kind !== 'choice' || flag?.kind !== 'choice') throw new Error('no choice');
  expect(choice.written('off')).toBe('off');
  expect(flag.written('true')).toBe(true);
});

test('addresses and parameters set by a variable cannot be dragged', () => {
  expect(editableParam(part, param('address', 0n))).toBeNull();
  expect(editableParam(part, param('time', 5n, { variable: true }))).toBeNull();
});
