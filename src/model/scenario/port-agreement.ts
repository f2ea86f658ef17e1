/**
 * Parameters that must match between wired parts, such as the line size of a cache, its processor and its bus.
 * Manifests declare them at the port. A machine whose values differ is refused.
 */

import { quote } from '../../base/suggest';
import type { AgreementSpec, PartType } from '../../engine/manifest';
import type { Wire } from './scenario-types';
import { toText } from './values';

/** The fields of a part that this check needs. */
interface Member {
  readonly name: string;
  readonly type: PartType;
  readonly params: readonly {
    readonly spec: { readonly name: string; readonly title: string };
    readonly value: bigint;
  }[];
}

/** A parameter: index of its part, and its name. */
type Owned = readonly [part: number, param: string];

export interface Disagreement {
  readonly owned: readonly Owned[];
  readonly wire: Wire;
  readonly message: string;
}

/** The value at one end of a wire. */
interface Side {
  readonly part: Member;
  readonly value: bigint;
  readonly text: string;
  /** Title of the parameter that sets the value; null if it is fixed. */
  readonly title: string | null;
  readonly owned: readonly Owned[];
}

const specsOf = ({ type }: Member, port: string): readonly AgreementSpec[] =>
  type.mustMatch?.filter((one) => one.port === port) ?? [];

function sideOf(part: Member, index: number, { type, is }: AgreementSpec): Side {
  const param = part.params.find(({ spec }) => spec.name === is);
  const value = param ? param.value : BigInt(is);
  const owned: readonly Owned[] = param ? [[index, is]] : [];
  return { part, value, text: toText(value, type, {}), title: param?.spec.title ?? null, owned };
}

const sideText = ({ part, text, title }: Side) =>
  title === null
    ? `${text} on ${quote(part.name)}`
    : `${text} by ${quote(title)} of ${quote(part.name)}`;

const correction = (sides: readonly [Side, Side]): string => {
  const [a, b] = sides;
  const fixed = sides.find(({ title }) => title === null);
  const free = sides.find(({ title }) => title !== null);
  if (fixed && free)
    return `${quote(free.title ?? '')} of ${quote(free.part.name)} must be ${fixed.text}`;
  return `${quote(a.title ?? '')} of ${quote(a.part.name)} must be ${b.text}, or ${quote(b.title ?? '')} of ${quote(b.part.name)} ${a.text}`;
};

function along(wire: Wire, parts: readonly Member[]): Disagreement[] {
  const [from, to] = wire.ends;
  const [a, b] = [parts[from.part], parts[to.part]];
  if (!a || !b) return [];
  return specsOf(a, from.port).flatMap((spec) => {
    const other = specsOf(b, to.port).find(({ on }) => on === spec.on);
    if (!other) return [];
    const sides = [sideOf(a, from.part, spec), sideOf(b, to.part, other)] as const;
    if (sides[0].value === sides[1].value) return [];
    const message = `${quote(a.name)} and ${quote(b.name)} are wired together and must agree on ${spec.on}, which are ${sideText(sides[0])} and ${sideText(sides[1])}: ${correction(sides)}.`;
    return [{ owned: sides.flatMap(({ owned }) => owned), wire, message }];
  });
}

/** The values that must match between wired parts but differ. */
export const disagreements = (parts: readonly Member[], wires: readonly Wire[]): Disagreement[] =>
  wires.flatMap((wire) => along(wire, parts));
