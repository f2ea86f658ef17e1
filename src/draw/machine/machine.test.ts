import { describe, expect, test } from 'vitest';
import type { PortSpec } from '../../engine/manifest';
import type { Shape } from '../shape';
import { layoutCompact, layoutMachine } from './layout';
import { machineNow } from './machine';
import { BRIDGE, BUS, CARD, CPU, MACHINE, MEMORY, moment, stretch } from './machine.fixture';
import { partSentence } from './text';
import type { DrawnMachine, DrawnPart, MachineLayout, PlacedPart } from './types';

const FREE: DrawnMachine = {
  ...MACHINE,
  parts: MACHINE.parts.map((part) => ({ ...part, at: null })),
};

const textsOf = (shapes: readonly Shape[]) =>
  shapes.flatMap((shape) => (shape.kind === 'text' ? [shape.text] : []));

const overlaps = ({ box: a }: PlacedPart, { box: b }: PlacedPart) =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

const writing = (share: number) =>
  moment({
    timePs: 1000 + share * 1000,
    views: { [`${BUS} now`]: { target: [1], bytes: [32], until: [2000] } },
    tracks: { [`${BUS} bus`]: stretch(BUS, 'bus', 'write', { from: 1000, to: 2000, by: BRIDGE }) },
  });

/** Left edge of the packet's flag. */
function packetAt(shapes: readonly Shape[]): number {
  const flag = shapes.find((shape) => shape.kind === 'path' && shape.cls.includes('packet'));
  return Number(/M([\d.]+)/.exec(flag?.kind === 'path' ? flag.d : '')?.[1]);
}

describe('layout', () => {
  const layouts: [string, MachineLayout][] = [
    ['given by the scenario', layoutMachine(MACHINE)],
    ['found without help', layoutMachine(FREE)],
    ['on a phone', layoutCompact(MACHINE, 390)],
    ['on a phone, without help', layoutCompact(FREE, 390)],
  ];
  test.each(layouts)('%s: parts do not overlap and stay inside the sheet', (_, layout) => {
    for (const part of layout.parts) {
      expect(layout.parts.filter((other) => overlaps(part, other))).toEqual([part]);
      expect(part.box.x).toBeGreaterThanOrEqual(0);
      expect(part.box.x + part.box.width).toBeLessThanOrEqual(layout.width);
      expect(part.box.y + part.box.height).toBeLessThanOrEqual(layout.height);
    }
  });

  test.each(layouts)(
    '%s: every wire is drawn with horizontal and vertical segments',
    (_, layout) => {
      expect(layout.wires).toHaveLength(MACHINE.wires.length);
      for (const { corners } of layout.wires)
        for (let i = 0; i + 3 < corners.length; i += 2)
          expect(corners[i] === corners[i + 2] || corners[i + 1] === corners[i + 3]).toBe(true);
    },
  );

  test('a monitor of mappings is not drawn and moves no part', () => {
    const checker = { ...MACHINE.parts[CPU], title: 'DMA checker', at: null } as DrawnPart;
    const ports = [{ ...checker.type.ports[0], protocol: 'contract' } as PortSpec];
    const watched = {
      parts: [...MACHINE.parts, { ...checker, type: { ...checker.type, ports } }],
      wires: MACHINE.wires,
    };
    expect(layoutMachine(watched)).toEqual(layoutMachine(MACHINE));
    expect(layoutCompact(watched, 390)).toEqual(layoutCompact(MACHINE, 390));
  });

  test('without the empty foot of the sheet, parts keep their positions', () => {
    const [whole, snug] = [layoutMachine(MACHINE), layoutMachine(MACHINE, true)];
    expect(snug.parts).toEqual(whole.parts);
    expect(snug.height).toBe(Math.max(...whole.parts.map(({ box }) => box.y + box.height)) + 8);
  });

  test('a signal that cannot be straight does not cross other parts', () => {
    const layout = layoutMachine(MACHINE);
    const irq = layout.wires.find(({ ends }) => ends.some((end) => end.port === 'irq'));
    expect(irq?.thick).toBe(false);
    const bus = layout.parts[BUS] as PlacedPart;
    const xs = irq?.corners.filter((_, i) => i % 2 === 0) ?? [];
    expect(xs.some((x) => x < bus.box.x || x > bus.box.x + bus.box.width)).toBe(true);
  });
});

describe('a bus', () => {
  const layout = layoutMachine(MACHINE);

  test('carries the packet from the writer to its target', () => {
    const [early, late] = [0.1, 0.9].map((share) => packetAt(machineNow(layout, writing(share))));
    expect(late).toBeGreaterThan(early as number);
  });

  test('does not move packets with reduced motion', () => {
    const [early, late] = [0.1, 0.9].map((share) =>
      packetAt(machineNow(layout, writing(share), true)),
    );
    expect(late).toBe(early);
  });

  test('fills the elapsed beats', () => {
    const filled = (share: number) =>
      machineNow(layout, writing(share)).filter(
        (shape) => shape.kind === 'rect' && shape.width === 5 && shape.cls === 'a-adapter',
      ).length;
    expect([filled(0), filled(0.5), filled(1)]).toEqual([0, 2, 4]);
  });

  test('keeps its last cycles as a tape that ends now', () => {
    const past = [
      stretch(BUS, 'bus', 'write', { from: 0, to: 100_000, by: BRIDGE }),
      stretch(BUS, 'bus', 'read', { from: 900_000, by: CARD }),
    ];
    const shapes = machineNow(layout, moment({ timePs: 1e6, past }));
    const tape = shapes.flatMap((shape) =>
      shape.kind === 'rect' && shape.height === 7 ? [shape] : [],
    );
    const bus = layout.parts[BUS]?.box ?? { x: 0, width: 0 };
    const last = tape.at(-1);
    expect(tape.map((shape) => shape.cls)).toEqual(['a-adapter', 'a-disk']);
    expect((last?.x ?? 0) + (last?.width ?? 0)).toBeCloseTo(bus.x + bus.width - 10.6);
  });

  test('shows its utilisation', () => {
    const now = moment({ timePs: 1e6, counters: { [BUS]: [330_000] } });
    expect(textsOf(machineNow(layout, now))).toContain('33\u00a0% busy');
  });

  test('counts the present transaction in its utilisation, as far as it has come', () => {
    const at = (timePs: number) => {
      const write = stretch(BUS, 'bus', 'write', { from: 600_000, by: BRIDGE });
      const now = moment({
        timePs,
        views: { [`${BUS} now`]: { target: [1], bytes: [32], began: [600_000] } },
        tracks: { [`${BUS} bus`]: write },
        counters: { [BUS]: [200_000] },
      });
      return textsOf(machineNow(layout, now)).find((label) => label.includes('busy'));
    };
    expect([600_000, 800_000, 1e6].map(at)).toEqual(
      ['33', '50', '60'].map((n) => `${n}\u00a0% busy`),
    );
  });
});

describe('a part', () => {
  const layout = layoutMachine(MACHINE);
  const sentence = (part: number, now: ReturnType<typeof moment>) =>
    partSentence(layout, layout.parts[part] as PlacedPart, now);

  test('says what it waits for, and for how long', () => {
    const stall = stretch(CPU, 'cpu', 'stall', { from: 880_000 });
    const now = moment({ timePs: 1e6, tracks: { [`${CPU} cpu`]: stall } });
    expect(textsOf(machineNow(layout, now))).toContain('stalled: posting buffer full, 120\u00a0ns');
    expect(sentence(CPU, now)).toBe('Processor: stalled: posting buffer full, 120\u00a0ns.');
  });

  test('drops text that does not fit instead of cutting it', () => {
    const stall = stretch(CPU, 'cpu', 'stall', { from: 0 });
    const now = moment({ timePs: 120_000, tracks: { [`${CPU} cpu`]: stall } });
    const firstText = (width: number) => textsOf(machineNow(layoutCompact(MACHINE, width), now))[0];
    expect(firstText(390)).toBe('stalled, 120\u00a0ns');
    expect(firstText(190)).toBe('stalled');
  });

  test('with a buffer shows its fill level', () => {
    const now = moment({ views: { [`${BRIDGE} now`]: { head: [6], waiting: [5] } } });
    expect(sentence(BRIDGE, now)).toContain('posts 5 of 8 taken');
    const boxes = machineNow(layout, now).filter(
      (shape) => shape.kind === 'rect' && shape.height === 13,
    );
    expect(boxes.filter((shape) => shape.cls === 'slot')).toHaveLength(3);
  });

  test('with engines shows what each has moved', () => {
    const now = moment({
      views: { [`${CARD} engines`]: { moved: [256, 0], left: [256, 0] } },
      tracks: { [`${CARD} write_engine`]: stretch(CARD, 'write_engine', 'data') },
    });
    expect(sentence(CARD, now)).toBe(
      'GT card: DMA write engine moving data, 256\u00a0B of 512\u00a0B; DMA read engine idle.',
    );
  });

  test('without a state shows its counters', () => {
    const now = moment({ counters: { [MEMORY]: [16, 512] } });
    expect(sentence(MEMORY, now)).toBe('Memory: reads 16, bytes_read 512\u00a0B.');
  });
});

test('stubs in use have the hue of the requester', () => {
  const layout = layoutMachine(MACHINE);
  const stubs = machineNow(layout, writing(0.5)).filter(
    (shape) => shape.kind === 'rect' && shape.width === 4 && shape.cls === 'a-adapter',
  );
  expect(stubs).toHaveLength(2);
  expect(
    machineNow(layout, moment({})).some((shape) => shape.kind === 'rect' && shape.width === 4),
  ).toBe(false);
});
