/** The description of a compiled machine: names, types, and each parameter with its source. */

import type { ParamName } from '../../engine/gen/names';
import type { Basis, ParamSpec, PartType } from '../../engine/manifest';
import type { TracedMachine } from '../trace/event-text';
import type { EncodedRow } from './encode';
import type { Assignment, Value, Where, Wire } from './scenario-types';
import { toInteger, toText } from './values';

export interface CompiledParam {
  readonly spec: ParamSpec;
  readonly index: number;
  /** "part.param" */
  readonly path: string;
  readonly value: bigint;
  /** The scenario's value, without edits. */
  readonly original: bigint;
  readonly edited: boolean;
  readonly basis: Basis;
  readonly source: string;
  /** A variable sets it, so it depends on the point of the experiment. */
  readonly variable: boolean;
}

export interface CompiledPart {
  readonly index: number;
  readonly name: string;
  readonly title: string;
  readonly type: PartType;
  readonly at: readonly [number, number, number, number] | null;
  /** Where the scenario or its machine describes the part; null for an added monitor. */
  readonly where: Where | null;
  readonly params: readonly CompiledParam[];
  /** Rows by table, in manifest order. */
  readonly tables: readonly (readonly EncodedRow[])[];
}

export interface CompiledMachine {
  readonly config: Uint8Array;
  readonly layoutHash: number;
  readonly untilPs: number;
  readonly seed: bigint;
  readonly variables: Assignment;
  readonly parts: readonly CompiledPart[];
  readonly wires: readonly Wire[];
}

/** What a worker needs to decode the machine's trace. */
export const tracedMachine = ({ parts, wires }: CompiledMachine): TracedMachine => ({
  parts: parts.map(({ name, title, type, tables }) => ({ name, title, type, tables })),
  wires,
});

/** Whether two machines are identical. */
export const isSameMachine = (one: CompiledMachine, other: CompiledMachine): boolean =>
  one.untilPs === other.untilPs &&
  one.config.length === other.config.length &&
  one.config.every((byte, at) => byte === other.config[at]);

export const partNamed = (machine: CompiledMachine, name: string): CompiledPart | undefined =>
  machine.parts.find((part) => part.name === name);

/** Index of a part's first counter where those of all parts are one after another. */
export const firstCounterOf = (parts: readonly CompiledPart[], part: number): number =>
  parts.slice(0, part).reduce((sum, { type }) => sum + type.counters.length, 0);

/** The counters of each part, from those of all parts one after another. */
export const countersByPart = (
  { parts }: Pick<CompiledMachine, 'parts'>,
  all: ArrayLike<number>,
): number[][] => {
  const counters = Array.from(all);
  return parts.map(({ index, type }) => {
    const from = firstCounterOf(parts, index);
    return counters.slice(from, from + type.counters.length);
  });
};

export function paramAt(machine: CompiledMachine, path: string): CompiledParam | undefined {
  const part = partNamed(machine, path.slice(0, path.indexOf('.')));
  return part?.params.find((param) => param.path === path);
}

/** A parameter's value as written in files: "2.4 us". */
export const paramText = (part: CompiledPart, param: CompiledParam): string =>
  toText(param.value, param.spec.type, part.type.enums);

/** A parameter's value for display: flags as on or off, choices by their title. */
export function shownParam(part: CompiledPart, param: CompiledParam): string {
  const { value, spec } = param;
  if (spec.type === 'flag') return value === 0n ? 'off' : 'on';
  return (
    part.type.enums[spec.type]?.[Number(value)]?.title ??
    paramText(part, param).replace(/ us$/, ' µs')
  );
}

/** A written value of a parameter for display. */
export function shownValue(machine: CompiledMachine, path: string, written: Value): string {
  const part = partNamed(machine, path.slice(0, path.indexOf('.')));
  const param = part?.params.find((one) => one.path === path);
  if (!part || !param) return String(written);
  const value = toInteger(written, param.spec.type, part.type.enums);
  return typeof value === 'bigint' ? shownParam(part, { ...param, value }) : String(written);
}

/** A parameter's value as written in files: the name of a member, true or false, or a whole number. */
export const settingOf = (part: CompiledPart, name: ParamName): string | null => {
  const param = part.params.find(({ spec }) => spec.name === name);
  if (!param) return null;
  const members = part.type.enums[param.spec.type];
  if (members) return members[Number(param.value)]?.name ?? null;
  return param.spec.type === 'flag' ? String(param.value !== 0n) : String(param.value);
};
