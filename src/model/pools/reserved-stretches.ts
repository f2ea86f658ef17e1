/**
 * Entries that are taken from the start and never freed, because the user reserved them: the table has 64 equal
 * stretches, and the allocator takes them as the bits of two parameters.
 */
import type { ParamName } from '../../engine/gen/names';
import type { CompiledMachine, CompiledPart } from '../scenario/compiled';
import type { Edits } from '../scenario/scenario-types';
import { poolViewsOf } from './pool-views';

const STRETCHES = 64;
const HALF = 32n;
const LOW = (1n << HALF) - 1n;

/** Reserved stretches, one bit each. */
export type Reserved = bigint;

interface Allocator {
  readonly entries: number;
  readonly part: CompiledPart;
}

/** The allocator of a machine; null if it has none whose entries can be reserved. */
export function reservableIn(machine: CompiledMachine | null): Allocator | null {
  const views = poolViewsOf(machine);
  const part = views && machine?.parts[views.part];
  return part && paramOf(part, 'reserved_low') ? { entries: views.entries, part } : null;
}

const paramOf = ({ params }: CompiledPart, name: ParamName) =>
  params.find(({ spec }) => spec.name === name);

export function reservedIn({ part }: Allocator): Reserved {
  const [low = 0n, high = 0n] = (['reserved_low', 'reserved_high'] as const).map(
    (name) => paramOf(part, name)?.value,
  );
  return (high << HALF) | low;
}

/** The settings that reserve these stretches. */
export function reserving({ part }: Allocator, reserved: Reserved): Edits {
  const path = (name: ParamName) => paramOf(part, name)?.path ?? '';
  return {
    [path('reserved_low')]: Number(reserved & LOW),
    [path('reserved_high')]: Number(reserved >> HALF),
  };
}

const lengthOf = ({ entries }: Pick<Allocator, 'entries'>): number =>
  Math.max(1, Math.floor(entries / STRETCHES));

/** The stretch of an entry: the last one has the remainder of the division. */
export const stretchOf = (allocator: Pick<Allocator, 'entries'>, entry: number): number =>
  Math.min(STRETCHES - 1, Math.floor(entry / lengthOf(allocator)));

/** First entry of a stretch, and the end. */
export function entriesOf(allocator: Pick<Allocator, 'entries'>, stretch: number) {
  const length = lengthOf(allocator);
  const to = stretch === STRETCHES - 1 ? allocator.entries : (stretch + 1) * length;
  return { from: stretch * length, to: Math.min(to, allocator.entries) };
}

export const isReserved = (reserved: Reserved, stretch: number): boolean =>
  ((reserved >> BigInt(stretch)) & 1n) === 1n;

/** The same with one stretch reserved or not. */
export function withStretch(reserved: Reserved, stretch: number, isOn: boolean): Reserved {
  const bit = 1n << BigInt(stretch);
  return isOn ? reserved | bit : reserved & ~bit;
}

/** Numbers of the reserved stretches. */
export const stretchesOf = (reserved: Reserved): number[] =>
  Array.from({ length: STRETCHES }, (_, stretch) => stretch).filter((stretch) =>
    isReserved(reserved, stretch),
  );
