/** The axis of chains below the look-up in play: where the buffers of each device lie, with signs that can be dragged. */
import { integer } from '../../base/format';
import { clamp } from '../../base/geometry';
import type { TlbMoment } from '../../model/coherence/tlb-moment';
import { glyph } from '../glyph';
import { path, rect, type Shape, words } from '../shape';
import { widthOf } from '../text-width';

/** A device, or one of its blocks, that uses the rows shown, with the evictions that it suffered. */
export interface Requester {
  readonly device: number | null;
  /** Null where devices are told apart. */
  readonly block: number | null;
  readonly title: string;
  readonly actor: string;
  readonly lost: number;
  /** Its look-ups so far. */
  readonly lookUps: number;
  /** Chain of its newest look-up. */
  readonly chain: number;
}

/** Buffers that are being dragged, and the chain that they are over. */
interface Dragged {
  readonly device: number | null;
  readonly chain: number;
}

export interface AxisInput {
  readonly moment: Pick<TlbMoment, 'contended' | 'lookUp'>;
  /** From left to right, in the order of the machine; at most four. */
  readonly requesters: readonly Requester[];
  readonly dragged: Dragged | null;
  /** Devices whose buffers can be placed elsewhere. */
  readonly movable: readonly number[];
}

/** Chains side by side. */
export interface ChainAxis {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly first: number;
  readonly chains: number;
  readonly rows: number;
}

export const AXIS_HEIGHT = 40;
const MOST_CHAINS = 12;

const chainPlace = ({ x, width, first, chains }: ChainAxis, chain: number): number =>
  x + ((chain - first + 0.5) * width) / chains;

/** Twelve chains around those in use, so that there is room to both sides. */
export function chainAxis(
  rows: number,
  used: readonly number[],
  place: Pick<ChainAxis, 'x' | 'y' | 'width'>,
): ChainAxis {
  const chains = Math.min(rows, MOST_CHAINS);
  const lowest = used.length > 0 ? Math.min(...used) : 0;
  const first = clamp(lowest - 2, 0, rows - chains);
  return { ...place, rows, chains, first: Math.max(0, first) };
}

export function axisShapes(axis: ChainAxis, input: AxisInput): Shape[] {
  const { requesters, dragged, movable, moment } = input;
  const { x, y, width, first, chains, rows } = axis;
  const taken = new Set(requesters.map(({ chain }) => chain));
  const shapes: Shape[] = [
    words(8, y + 4, 'chain', 't11 b6'),
    path(`M${x} ${y + 0.5}h${width}`, 'wire'),
    path(first + chains < rows ? `M${x + width + 3} ${y + 0.5}h10` : '', 'slot-d'),
    words(x + width + 16, y + 4, first + chains < rows ? integer(rows - 1) : '', 't10 i3'),
  ];
  for (let chain = first; chain < first + chains; chain++) {
    const at = chainPlace(axis, chain);
    const tone = taken.has(chain) ? 'b6' : 'i3';
    shapes.push(path(`M${at} ${y - 3}v6`, 'wire'));
    shapes.push(words(at, y + 15, integer(chain), `t10 mid ${tone}`));
  }
  const signs = signPlaces(axis, requesters, dragged);
  for (const { device, actor, x: at, y: high } of signs) {
    shapes.push(glyph(actor, at, high, 4.4));
    if (movable.includes(device ?? -1))
      shapes.push(path(ring(at, high, HANDLE_RADIUS - 1.5), 'flow'));
  }
  const held = dragged && signs.find(({ device }) => device === dragged.device);
  const [sign] = held
    ? [held]
    : signs.filter(({ device }) => movable.includes(device ?? -1)).slice(-1);
  if (sign && (held || moment.contended)) {
    const hint = held ? placeText(held, signs) : `drag to place the buffers of ${sign.title}`;
    const wide = widthOf(hint, 10.5);
    if (wide < x + width - sign.x - 14)
      shapes.push(words(sign.x + 14, axis.y - 5, hint, 't10 acc'));
    else if (held) shapes.push(words(sign.x - 14, axis.y - 5, hint, 't10 acc end'));
  }
  if (moment.contended) {
    const inRow = signs.filter(({ chain }) => chain === moment.lookUp.chain).length;
    const at = chainPlace(axis, clamp(moment.lookUp.chain, first, first + chains - 1));
    const high = Math.max(1, inRow) * SIGN_STEP;
    shapes.push(rect(at - 11, y - 6 - high, 22, high + 9, 'tl-hot'));
  }
  return shapes;
}

/** What buffers meet in the chain that they are held over. */
function placeText(
  { device, chain }: { readonly device: number | null; readonly chain: number },
  signs: readonly {
    readonly device: number | null;
    readonly chain: number;
    readonly title: string;
  }[],
): string {
  const other = signs.find((one) => one.device !== device && one.chain === chain);
  return `chain ${integer(chain)}: ${other ? `the row of ${other.title}` : 'a row of its own'}`;
}

export const HANDLE_RADIUS = 8.5;
const SIGN_STEP = 12;

/** Where the sign of each device stands on the axis, stacked where they share a chain. */
export function signPlaces(
  axis: ChainAxis,
  requesters: readonly Requester[],
  dragged: Dragged | null,
) {
  const levels = new Map<number, number>();
  return devicesOf(requesters).map((one) => {
    const chain = dragged && dragged.device === one.device ? dragged.chain : one.chain;
    const shown = clamp(chain, axis.first, axis.first + axis.chains - 1);
    const level = levels.get(shown) ?? 0;
    levels.set(shown, level + 1);
    return {
      ...one,
      own: one.chain,
      chain,
      x: chainPlace(axis, shown),
      y: axis.y - 7 - level * SIGN_STEP,
    };
  });
}

/** The chain nearest to a place on the axis. */
export const chainAtPlace = ({ x, width, first, chains }: ChainAxis, at: number): number =>
  first + clamp(Math.floor(((at - x) / width) * chains), 0, chains - 1);

const devicesOf = (requesters: readonly Requester[]): Requester[] => [
  ...new Map(requesters.map((one) => [one.device, one])).values(),
];

const ring = (x: number, y: number, r: number): string =>
  `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`;
