/** What the rules are about: a machine with its addresses and programs, and what they find. */
import { quote } from '../../base/suggest';
import type { ParamName, PartName } from '../../engine/gen/names';
import type { Addresses, Claim } from '../scenario/address-map';
import type { CompiledPart } from '../scenario/compiled';
import type { Value } from '../scenario/scenario-types';
import type { rowsOf } from '../scenario/translation-check';

/** A change that removes a finding: parameters by "part.param", or one more wire. */
export interface LintFix {
  readonly title: string;
  readonly params?: Readonly<Record<string, Value>>;
  readonly wire?: readonly [string, string];
}

export interface Finding {
  readonly rule: string;
  /** Name of the part concerned. */
  readonly part: string;
  readonly message: string;
  readonly fix: LintFix | null;
}

export type Unplaced = Omit<Finding, 'rule'>;

export type Row = ReturnType<typeof rowsOf>[number];

/** A machine, prepared for the rules. */
export interface Subject {
  readonly parts: readonly CompiledPart[];
  readonly addresses: Addresses;
  readonly programs: readonly { readonly cpu: CompiledPart; readonly rows: readonly Row[] }[];
}

export const holds = ({ from, end }: Pick<Claim, 'from' | 'end'>, address: bigint) =>
  address >= from && address < end;

export const isAny = ({ type }: CompiledPart, ...names: readonly PartName[]) =>
  names.includes(type.name);

export const paramValue = (part: CompiledPart, name: ParamName): bigint | undefined =>
  part.params.find(({ spec }) => spec.name === name)?.value;

/** "row 3 of cpu (dma_out)". */
export function rowText(cpu: CompiledPart, { operation, where }: Row): string {
  const number = /\/(\d+)$/.exec(where.problem('').pointer)?.[1];
  const row = number === undefined ? 'a row' : `row ${Number(number) + 1}`;
  return `${row} of ${quote(cpu.name)} (${operation})`;
}
