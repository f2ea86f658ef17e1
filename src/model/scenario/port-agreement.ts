/**
 * Parts that are wired together may count in something that each has its own parameter for: the bytes of a
 * line, for a cache, its processor and its bus. Manifests say so at the port (`agrees`); a machine whose
 * values differ is refused, because its parts would not speak of the same lines.
 */

import { quote } from '../../base/suggest';
import type { AgreementSpec, PartType } from '../../engine/manifest';
import type { Wire } from './scenario-types';
import { toText } from './values';

/** A part as far as it can disagree. */
interface Member {
  readonly name: string;
  readonly type: PartType;
  readonly params: readonly {
    readonly spec: { readonly name: string; readonly title: string };
    readonly value: bigint;
  }[];
}

/** A parameter, by the place of its part. */
type Owned = readonly [part: number, param: string];

export interface Disagreement {
  readonly owned: readonly Owned[];
  readonly wire: Wire;
  readonly message: string;
}

/** What one end of a wire says. */
interface Side {
  readonly part: Member;
  readonly value: bigint;
  readonly text: string;
  /** The title of the parameter that sets it, null where it is fixed. */
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

const said = ({ part, text, title }: Side) =>
  title === null
    ? `${text} on ${quote(part.name)}`
    : `${text} by ${quote(title)} of ${quote(part.name)}`;

const cure = (sides: readonly [Side, Side]): string => {
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
    const message = `${quote(a.name)} and ${quote(b.name)} are wired together and must agree on ${spec.on}, which are ${said(sides[0])} and ${said(sides[1])}: ${cure(sides)}.`;
    return [{ owned: sides.flatMap(({ owned }) => owned), wire, message }];
  });
}

/** Where parts that are wired together differ in what they must have alike. */
export const disagreements = (parts: readonly Member[], wires: readonly Wire[]): Disagreement[] =>
  wires.flatMap((wire) => along(wire, parts));
