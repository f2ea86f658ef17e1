/**
 * Positions of the stubs along a bus. Stubs on opposite sides are the ends of its transactions: they are moved apart,
 * within their boxes, until a packet between them travels far enough for the eye to follow.
 */
import type { Rect } from '../../base/geometry';
import { hasAnswers } from './responses';
import type { PlacedPart, RoutedWire } from './types';

/** A packet travels at least this far: 250 pixels of a drawing at the smallest scale, 0.9. */
export const LEAST_TRAVEL = 280;

/** Distance of a stub from the edge of its box, and from the responses at the right edge. */
const INSET = 14;
const BESIDE_RESPONSES = 66;
/** Distance between stubs of one box. */
const APART = 24;

interface Stub {
  readonly wire: number;
  readonly bus: PlacedPart;
  readonly box: Rect;
  readonly isAbove: boolean;
  /** Positions that it can take; the first is the one that it has. */
  readonly choices: readonly number[];
  x: number;
}

/** A vertical wire between a box and a bus. */
function stubOf(parts: readonly PlacedPart[], wires: readonly RoutedWire[], wire: number): Stub[] {
  const { ends, corners, thick } = wires[wire] as RoutedWire;
  const [x = 0, y1 = 0, x2] = corners;
  if (!thick || corners.length !== 4 || x !== x2) return [];
  const [a, b] = ends.map(({ part }) => parts.find(({ index }) => index === part));
  if (!a || !b || a.rail === b.rail) return [];
  const [bus, { box }] = a.rail ? [a, b] : [b, a];
  const left = Math.max(box.x, bus.box.x) + INSET;
  const beside = hasAnswers(bus) ? BESIDE_RESPONSES : INSET;
  const right = Math.min(box.x + box.width - beside, bus.box.x + bus.box.width - INSET);
  const y2 = corners[3] ?? y1;
  const isFree = (at: number) =>
    parts.every(
      ({ box: other }) =>
        at <= other.x ||
        at >= other.x + other.width ||
        Math.max(y1, y2) <= other.y + 0.5 ||
        Math.min(y1, y2) >= other.y + other.height - 0.5,
    );
  const choices = [x, ...(right > left ? [left, right].filter(isFree) : [])];
  return [{ wire, bus, box, isAbove: box.y < bus.box.y, choices, x }];
}

/** A stub moves only for a gain that is larger than a share of its way. */
const RELUCTANCE = 0.05;
/** Of two equal drawings the one in which requests from above run to the right. */
const READING = 0.001;
/** Most stubs of a bus for which every combination of positions is tried; of more, one after the other is moved. */
const MOST_TRIED = 6;
/** Rounds in which each of more stubs takes its best position. */
const ROUNDS = 3;

/** How well packets can be followed between stubs. */
function quality(stubs: readonly Stub[]): number {
  let sum = 0;
  for (const one of stubs) {
    sum -= RELUCTANCE * Math.abs(one.x - (one.choices[0] ?? one.x));
    if (one.isAbove) sum -= READING * one.x;
    for (const other of stubs) {
      const distance = Math.abs(other.x - one.x);
      if (other === one) continue;
      if (other.box === one.box && distance < APART) return -Infinity;
      if (other.bus === one.bus && one.isAbove && !other.isAbove)
        sum += Math.min(distance, LEAST_TRAVEL);
    }
  }
  return sum;
}

/** Moves these stubs, from the one at `first` on, to the best combination of their positions. */
function best(all: readonly Stub[], moved: readonly Stub[], first = 0): number {
  const stub = moved[first];
  if (!stub) return quality(all);
  const tried = stub.choices.map((x) => {
    stub.x = x;
    return { quality: best(all, moved, first + 1), at: moved.map((one) => one.x) };
  });
  const found = tried.reduce((one, other) => (other.quality > one.quality ? other : one));
  moved.forEach((one, index) => {
    one.x = found.at[index] ?? one.x;
  });
  return found.quality;
}

/** The same wires, with their stubs apart. */
export function spreadStubs(
  parts: readonly PlacedPart[],
  wires: readonly RoutedWire[],
): RoutedWire[] {
  const stubs = wires.flatMap((_, wire) => stubOf(parts, wires, wire));
  for (const bus of new Set(stubs.map((stub) => stub.bus))) {
    const own = stubs.filter((stub) => stub.bus === bus);
    if (own.length <= MOST_TRIED) best(stubs, own);
    else for (let round = 0; round < ROUNDS; round++) for (const stub of own) best(stubs, [stub]);
  }
  const moved = new Map(stubs.map((stub) => [stub.wire, stub.x]));
  return wires.map((wire, index) => {
    const x = moved.get(index);
    const [, y1 = 0, , y2 = 0] = wire.corners;
    return x === undefined ? wire : { ...wire, corners: [x, y1, x, y2] };
  });
}
