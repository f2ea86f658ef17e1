/**
 * Sockets of a machine drawing: the ends of wires, and free places for more. A server port is a square; a
 * client port is a plug that points out of its part.
 */
import type { PortSpec } from '../../engine/manifest';
import { polyline } from '../shape';
import type { DrawnMachine, MachineLayout, PlacedPart } from './types';

export interface PlacedSocket {
  readonly part: number;
  readonly port: PortSpec;
  readonly index: number;
  readonly x: number;
  readonly y: number;
  /** Side of the part it is on. */
  readonly side: 'top' | 'low' | 'left' | 'right';
  readonly isTaken: boolean;
}

/** Distance between the centres of two on one edge. */
const PITCH = 18;
/** From the corner of a part to the centre of the first. */
const INSET = 15;
/** Half the height and width of a socket. */
const HALF = 4.5;

type Point = Pick<PlacedSocket, 'x' | 'y' | 'side'>;

/** The edge of a box on which a wire ends. */
function sideOf({ box }: PlacedPart, x: number, y: number): PlacedSocket['side'] {
  const apart = {
    top: Math.abs(y - box.y),
    low: Math.abs(y - box.y - box.height),
    left: Math.abs(x - box.x),
    right: Math.abs(x - box.x - box.width),
  };
  const sides = ['top', 'low', 'left', 'right'] as const;
  return sides.reduce((best, side) => (apart[side] < apart[best] ? side : best));
}

function takenIn(layout: MachineLayout): PlacedSocket[] {
  return layout.wires.flatMap(({ ends, corners }) => {
    const points = [corners.slice(0, 2), corners.slice(-2)];
    return ends.flatMap(({ part, port: name, slot }, at): PlacedSocket[] => {
      const owner = layout.parts.find(({ index }) => index === part);
      const port = owner?.part.type.ports.find((spec) => spec.name === name);
      if (!owner || !port) return [];
      // A route may have been found from either of its ends.
      const [x = 0, y = 0] = nearest(owner, points[at] ?? [], points[1 - at] ?? []);
      const side = sideOf(owner, x, y);
      return [{ part, port, index: slot - port.first, x, y, side, isTaken: true }];
    });
  });
}

function nearest({ box }: PlacedPart, own: readonly number[], other: readonly number[]) {
  const away = ([x = 0, y = 0]: readonly number[]) =>
    Math.max(box.x - x, x - box.x - box.width, box.y - y, y - box.y - box.height);
  return away(own) <= away(other) ? own : other;
}

/**
 * Positions outside the lower edge of a part, clear of its contents and of responses near its end; boxes also
 * use the upper edge.
 */
function freePlaces({ box, rail }: PlacedPart): Point[] {
  const number = Math.max(0, Math.floor((box.width - 2 * INSET) / PITCH) + 1);
  const along = Array.from({ length: number }, (_, i) => box.x + INSET + i * PITCH);
  const low = along.map((x): Point => ({ x, y: box.y + box.height + HALF, side: 'low' }));
  const top = along.map((x): Point => ({ x, y: box.y - HALF, side: 'top' }));
  return rail ? low : [...low, ...top];
}

/** The unwired slots of a part: all of a bus, else the first of each port. */
function vacant({ part, rail, index }: PlacedPart, machine: DrawnMachine) {
  const used = new Set(
    machine.wires.flatMap(({ ends }) =>
      ends.filter((end) => end.part === index).map(({ slot }) => slot),
    ),
  );
  return part.type.ports.flatMap((port) => {
    const free = Array.from({ length: port.count }, (_, at) => at).filter(
      (at) => !used.has(port.first + at),
    );
    return free.slice(0, rail ? free.length : 1).map((at) => ({ port, index: at }));
  });
}

export function socketsOf(machine: DrawnMachine, layout: MachineLayout): PlacedSocket[] {
  const taken = takenIn(layout);
  const free = layout.parts
    .filter(({ host }) => host === null)
    .flatMap((part) => {
      const places = freePlaces(part).filter(({ x, y }) =>
        taken.every((one) => Math.hypot(one.x - x, one.y - y) >= PITCH * 0.75),
      );
      return (
        vacant(part, machine)
          // Required ports are shown first where there is little room.
          .toSorted((a, b) => Number(b.port.required) - Number(a.port.required))
          .slice(0, places.length)
          .map((one, at): PlacedSocket => {
            const place = places[at] as Point;
            return { part: part.index, ...one, ...place, isTaken: false };
          })
      );
    });
  return [...taken, ...free];
}

/** Outline of a socket: a square, or a plug that points out of the part. */
export function socketPath({ x, y, side, port }: PlacedSocket): string {
  if (port.role !== 'client')
    return polyline([
      x - HALF,
      y - HALF,
      x + HALF,
      y - HALF,
      x + HALF,
      y + HALF,
      x - HALF,
      y + HALF,
    ]);
  const tip = 2.5;
  const points = [-HALF, -HALF, HALF, -HALF, HALF, HALF - tip, 0, HALF + tip, -HALF, HALF - tip];
  const turned = points.flatMap((_, i) => {
    if (i % 2 === 1) return [];
    const [along = 0, out = 0] = [points[i], points[i + 1]];
    if (side === 'low') return [x + along, y + out];
    if (side === 'top') return [x + along, y - out];
    return side === 'right' ? [x + out, y + along] : [x - out, y + along];
  });
  return polyline(turned);
}

/** The socket at a point of the sheet; null if none is near. */
export function socketAt(
  sockets: readonly PlacedSocket[],
  x: number,
  y: number,
  reach = PITCH / 2,
): PlacedSocket | null {
  const near = sockets
    .map((socket) => ({ socket, away: Math.hypot(socket.x - x, socket.y - y) }))
    .filter(({ away }) => away <= reach)
    .sort((a, b) => a.away - b.away);
  return near[0]?.socket ?? null;
}
