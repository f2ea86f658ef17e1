/** In the drawing of each scenario a packet travels far enough for the eye to follow, and each part has room for its words. */
import { expect, test } from 'vitest';
import type { EnumMember } from '../../engine/manifest';
import { compile } from '../../model/scenario/compile';
import { listScenarios, readScenario } from '../../model/scenario/scenarios';
import type { Moment } from '../moment';
import { layoutFitting, layoutMachine } from './layout';
import { machineNow } from './machine';
import type { MachineLayout, PlacedPart } from './types';

const WRITE: EnumMember = { name: 'write', title: 'write', style: 'solid', doc: '' };

/** The wired parts of a bus, each with its slot there. */
const endsAt = ({ wires }: MachineLayout, { index }: PlacedPart) =>
  wires.flatMap(({ ends: [a, b], thick }) =>
    !thick || (a.part !== index && b.part !== index)
      ? []
      : [a.part === index ? { part: b.part, slot: a.slot } : { part: a.part, slot: b.slot }],
  );

/** A moment at which the bus carries a write: `done` of its time has passed. */
const writing = (bus: number, by: number, target: number, done: number): Moment => ({
  timePs: done,
  whole: true,
  counters: [],
  view: (part, name) =>
    part === bus && name === 'now'
      ? { rows: 1, column: (field) => (field === 'target' ? Float64Array.of(target) : undefined) }
      : null,
  track: (part) => (part === bus ? { state: WRITE, from: 0, to: 1, seq: 1, by } : null),
  past: () => [],
});

/** Left edge of the packet on the bus. */
function packetAt(layout: MachineLayout, { box }: PlacedPart, now: Moment): number {
  const tops = machineNow(layout, now).flatMap((shape) => {
    const isPacket = shape.kind === 'path' && shape.cls.split(' ').includes('packet');
    const numbers = isPacket ? (shape.d.match(/-?[\d.]+/g) ?? []).map(Number) : [];
    const [xs, ys] = [0, 1].map((odd) => numbers.filter((_, i) => i % 2 === odd));
    const isHere = ys?.every((y) => y >= box.y - 1 && y <= box.y + box.height + 1);
    return isPacket && isHere ? [Math.min(...(xs ?? []))] : [];
  });
  return tops[0] ?? Number.NaN;
}

/** The shortest way of a packet between two parts of a bus. */
function shortestWay(layout: MachineLayout, bus: PlacedPart): number {
  const ends = endsAt(layout, bus);
  const ways = ends.flatMap(({ part: by }) =>
    ends
      .filter(({ part }) => part !== by)
      .map(({ slot }) => {
        const [from, to] = [0, 1].map((done) =>
          packetAt(layout, bus, writing(bus.index, by, slot, done)),
        );
        return Math.abs((to ?? Number.NaN) - (from ?? Number.NaN));
      }),
  );
  return Math.min(...ways);
}

/** Buses with room for a name, a packet and its way. */
const WIDE = 500;
/** 250 pixels at the smallest scale of the drawing, 0.9. */
const FOLLOWED = 280;
/** On a short bus the packet uses the room that the name leaves. */
const SOME = 30;

interface Drawing {
  readonly id: string;
  readonly layout: MachineLayout;
  /** In a window of 1024 by 768, where the lanes take most of the height. */
  readonly small: MachineLayout;
}

/** The panel of the machine in that window, and the least scale of its drawing. */
const SMALL = { width: 738, height: 420, scale: 0.9 };

/** The drawings of all scenarios, those with equal places once. */
async function allDrawings(): Promise<readonly Drawing[]> {
  const seen = new Map<string, Drawing>();
  for (const { id } of listScenarios()) {
    const read = await readScenario(id);
    const machine = read.ok ? compile(read.value) : read;
    if (!machine.ok) throw new Error(`${id}: ${machine.problems[0]?.message}`);
    const places = JSON.stringify(machine.value.parts.map(({ title, at }) => [title, at]));
    const small = layoutFitting(machine.value, SMALL.width, SMALL.height);
    if (!seen.has(places)) seen.set(places, { id, layout: layoutMachine(machine.value), small });
  }
  return [...seen.values()];
}

const drawings = await allDrawings();

/** Two lines with a name and a tape between them; higher ones look like an empty box. */
const RAIL = 38;

test('a bus is a rail, in whatever room', () => {
  const high: string[] = [];
  for (const { id, layout } of drawings)
    for (const { rail, box, part } of layout.parts)
      if (rail && box.height > RAIL) high.push(`${id} ${part.title}: ${box.height}`);
  expect(high).toEqual([]);
});

/** Height of a name and of the line below it. */
const NAME_AND_STATE = 38;

test('a part has room for its name and for what it does now', () => {
  const low = drawings.flatMap(({ id, layout }) =>
    layout.parts
      .filter(({ rail, host, box }) => !rail && host === null && box.height < NAME_AND_STATE)
      // Processors beside a pool map have room for their names only; their lanes say the rest.
      .filter(({ actor }) => !(actor === 'cpu' && id.startsWith('pools/')))
      .map(({ part, box }) => `${id} ${part.title}: ${box.height}`),
  );
  expect(low).toEqual([]);
});

test('packets travel at least 250 pixels on each wide bus, and some way on each short one', () => {
  const short: Record<string, number> = {};
  let buses = 0;
  for (const { id, layout } of drawings) {
    for (const bus of layout.parts) {
      if (!bus.rail || !bus.part.type.tracks[0] || endsAt(layout, bus).length < 2) continue;
      buses++;
      const way = shortestWay(layout, bus);
      const { width } = bus.box;
      if (!(way >= (width >= WIDE ? FOLLOWED : SOME)))
        short[`${id} ${bus.part.title}, width ${width}`] = way;
    }
  }
  expect(short).toEqual({});
  expect(buses).toBeGreaterThan(30);
});

test('no drawing scrolls in a window of 1024 by 768', () => {
  const cut = drawings.filter(({ small }) => small.height * SMALL.scale > SMALL.height);
  expect(cut.map(({ id }) => id)).toEqual([]);
});
