/**
 * Routes of the wires of a machine drawing. Parts that face each other are joined by a straight stub; if
 * another part is between them, the wire turns one corner; as a last resort it goes along the edge of the
 * sheet.
 */
import { clamp, type Rect } from '../../base/geometry';
import { spreadStubs } from './stubs';
import type { DrawnMachine, DrawnWire, PlacedPart, RoutedWire } from './types';

/** Distance between wires on the same side of a part. */
const PITCH = 16;
/** Parts that overlap by less than this do not face each other. */
const FACING = 10;

type Corners = readonly number[];

const inside = (inner: Rect, outer: Rect): boolean =>
  inner.x >= outer.x &&
  inner.y >= outer.y &&
  inner.x + inner.width <= outer.x + outer.width &&
  inner.y + inner.height <= outer.y + outer.height;

/** Whether a horizontal or vertical segment crosses a box. */
function crosses(x1: number, y1: number, x2: number, y2: number, box: Rect): boolean {
  const [left, right] = [Math.min(x1, x2), Math.max(x1, x2)];
  const [top, low] = [Math.min(y1, y2), Math.max(y1, y2)];
  return (
    right > box.x && left < box.x + box.width && low > box.y + 0.5 && top < box.y + box.height - 0.5
  );
}

function isFree(corners: Corners, others: readonly Rect[]): boolean {
  for (let i = 0; i + 3 < corners.length; i += 2) {
    const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = corners.slice(i, i + 4);
    if (others.some((box) => crosses(x1, y1, x2, y2, box))) return false;
  }
  return true;
}

class Router {
  /** Occupied positions on the sides of parts: "part top" -> coordinates. */
  private readonly taken = new Map<string, number[]>();

  constructor(
    private readonly parts: readonly PlacedPart[],
    private readonly width: number,
  ) {}

  /** The free position on these sides that is nearest to `wanted` within the range. */
  private place(sides: readonly string[], low: number, high: number, requested: number): number {
    const used = sides.flatMap((side) => this.taken.get(side) ?? []);
    const tries = [0, 1, -1, 2, -2, 3, -3, 4, -4].map((step) => requested + step * PITCH);
    const fit = tries.find(
      (at) => at >= low && at <= high && used.every((other) => Math.abs(other - at) >= PITCH * 0.7),
    );
    const at = fit ?? clamp(requested, low, high);
    for (const side of sides) this.taken.set(side, [...(this.taken.get(side) ?? []), at]);
    return at;
  }

  /** Takes the positions of routed wires instead of those taken so far. */
  takeOnly(wires: readonly RoutedWire[]): void {
    this.taken.clear();
    for (const { ends, corners } of wires) {
      const [x = 0, y = 0] = corners;
      const isUpright = x === corners[2];
      for (const { part } of ends)
        for (const side of isUpright ? ['top', 'low'] : ['left', 'right']) {
          const key = `${part} ${side}`;
          this.taken.set(key, [...(this.taken.get(key) ?? []), isUpright ? x : y]);
        }
    }
  }

  private others(a: PlacedPart, b: PlacedPart): Rect[] {
    return this.parts
      .filter((part) => part !== a && part !== b)
      .map((part) => part.box)
      .filter((box) => !inside(a.box, box) && !inside(b.box, box));
  }

  straight(a: PlacedPart, b: PlacedPart): Corners | null {
    const others = this.others(a, b);
    const [top, low] = a.box.y <= b.box.y ? [a, b] : [b, a];
    const left = Math.max(a.box.x, b.box.x) + 6;
    const right = Math.min(a.box.x + a.box.width, b.box.x + b.box.width) - 6;
    const [y1, y2] = [top.box.y + top.box.height, low.box.y];
    if (right - left >= FACING && y2 >= y1) {
      const narrow = a.box.width < b.box.width ? a.box : b.box;
      const middle = clamp(narrow.x + narrow.width / 2, left, right);
      if (isFree([middle, y1, middle, y2], others)) {
        const x = this.place([`${top.index} low`, `${low.index} top`], left, right, middle);
        return [x, y1, x, y2];
      }
    }
    const [west, east] = a.box.x <= b.box.x ? [a, b] : [b, a];
    const high = Math.max(a.box.y, b.box.y) + 6;
    const deep = Math.min(a.box.y + a.box.height, b.box.y + b.box.height) - 6;
    const [x1, x2] = [west.box.x + west.box.width, east.box.x];
    if (deep - high < FACING || x2 < x1) return null;
    const middle = (high + deep) / 2;
    if (!isFree([x1, middle, x2, middle], others)) return null;
    const y = this.place([`${west.index} right`, `${east.index} left`], high, deep, middle);
    return [x1, y, x2, y];
  }

  /** Leaves one part sideways and meets the other from above or below. */
  elbow(a: PlacedPart, b: PlacedPart): Corners | null {
    const others = this.others(a, b);
    for (const [from, to] of [
      [a, b],
      [b, a],
    ] as const) {
      const [f, t] = [from.box, to.box];
      const rightward = t.x + t.width / 2 > f.x + f.width / 2;
      const startX = rightward ? f.x + f.width : f.x;
      const startY = f.y + f.height / 2;
      const endX = t.x + t.width / 2;
      const below = t.y > startY;
      const endY = below ? t.y : t.y + t.height;
      if (rightward ? endX < startX + CLEAR : endX > startX - CLEAR) continue;
      if (below ? endY <= startY : endY >= startY) continue;
      const corners = [startX, startY, endX, startY, endX, endY];
      if (isFree(corners, others)) return corners;
    }
    return null;
  }

  /** Along an edge of the sheet: the route with the fewest crossings, then the shortest. */
  around(a: PlacedPart, b: PlacedPart): Corners {
    const others = this.others(a, b);
    const routes = [10, this.width - 10].flatMap((edge) =>
      exits(a, edge).flatMap((start) =>
        exits(b, edge).map((end) => [...start, ...reversed(end)] as Corners),
      ),
    );
    const wide = others.map((box) => grown(box, CLEAR));
    const cost = (corners: Corners) =>
      (isFree(corners, others) ? 0 : 10_000) +
      (isFree(corners, wide) ? 0 : 300) +
      lengthOf(corners);
    return routes.reduce((best, route) => (cost(route) < cost(best) ? route : best));
  }
}

/** Distances from a part at which a wire turns towards the edge of the sheet. */
const TURNS = [16, 10, 22];
/** A wire closer to a part than this looks like its border. */
const CLEAR = 5;

const grown = ({ x, y, width, height }: Rect, by: number): Rect => ({
  x: x - by,
  y: y - by,
  width: width + 2 * by,
  height: height + 2 * by,
});

/** Routes from a part to an edge of the sheet: sideways, or first down or up and then sideways. */
function exits({ box }: PlacedPart, edge: number): Corners[] {
  const isLeft = edge < box.x;
  const side = isLeft ? box.x : box.x + box.width;
  const near = isLeft ? box.x + 20 : box.x + box.width - 20;
  const [top, low] = [box.y, box.y + box.height];
  return [
    [side, top + 10, edge, top + 10],
    ...TURNS.flatMap((turn) => [
      [near, low, near, low + turn, edge, low + turn],
      [near, top, near, top - turn, edge, top - turn],
    ]),
  ];
}

function reversed(corners: Corners): number[] {
  const back: number[] = [];
  for (let i = corners.length - 2; i >= 0; i -= 2)
    back.push(corners[i] as number, corners[i + 1] as number);
  return back;
}

function lengthOf(corners: Corners): number {
  let length = 0;
  for (let i = 0; i + 3 < corners.length; i += 2) {
    const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = corners.slice(i, i + 4);
    length += Math.abs(x2 - x1) + Math.abs(y2 - y1);
  }
  return length;
}

/** A required wire of one of its parts carries data; others are signals. */
function carriesData(machine: DrawnMachine, { ends }: DrawnWire): boolean {
  return ends.some(({ part, port }) =>
    machine.parts[part]?.type.ports.some((spec) => spec.name === port && spec.required),
  );
}

export function routeWires(
  machine: DrawnMachine,
  parts: readonly PlacedPart[],
  width: number,
): RoutedWire[] {
  const router = new Router(parts, width);
  const byIndex = new Map(parts.map((part) => [part.index, part]));
  const route = (wire: DrawnWire, thick: boolean): RoutedWire[] => {
    const [a, b] = [byIndex.get(wire.ends[0].part), byIndex.get(wire.ends[1].part)];
    if (!a || !b || a === b || inside(a.box, b.box) || inside(b.box, a.box)) return [];
    const direct = router.straight(a, b) ?? router.elbow(a, b);
    // Software is called, not wired: its line is drawn only if it is straight.
    if (!direct && [a, b].some(({ part }) => part.type.layer === 'os')) return [];
    return [{ ends: wire.ends, corners: direct ?? router.around(a, b), thick }];
  };
  const ofKind = (thick: boolean) =>
    machine.wires
      .filter((wire) => carriesData(machine, wire) === thick)
      .flatMap((wire) => route(wire, thick));
  const data = spreadStubs(parts, ofKind(true));
  router.takeOnly(data);
  return [...data, ...ofKind(false)];
}
