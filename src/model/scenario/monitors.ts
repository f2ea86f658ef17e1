/**
 * Parts that look on: they take no time and change nothing, so any machine can have them. They come last and
 * move no other part.
 */

import { quote } from '../../base/suggest';
import type { Basis, PartType, PortSpec } from '../../engine/manifest';
import { ENGINE_PARTS } from './catalogue';
import type { CompiledParam, CompiledPart } from './compile';
import type { ScenarioPart, Wire, WireEnd } from './scenario-types';

/** Its parameters, which stay as its manifest has them. */
const paramsOf = ({ name, params }: PartType): CompiledParam[] =>
  params.map((spec, index) => ({
    ...{
      spec,
      index,
      path: `${name}.${spec.name}`,
      basis: spec.basis as Basis,
      source: spec.source,
    },
    ...{ value: BigInt(spec.default), original: BigInt(spec.default) },
    ...{ edited: false, variable: false },
  }));

export function monitorPart(name: string, index: number): CompiledPart {
  const type = ENGINE_PARTS.types.get(name);
  if (!type) throw new Error(`This engine has no ${name}.`);
  return {
    index,
    name,
    title: type.title,
    type,
    at: null,
    where: null,
    params: paramsOf(type),
    tables: [],
  };
}

const CHECKER = 'dma_check';
const speaksContract = ({ protocol, role }: PortSpec) =>
  protocol === 'contract' && role === 'client';

type Parts = readonly Pick<CompiledPart, 'type'>[];
type Named = Pick<CompiledPart, 'name' | 'type'>;

/** Whether a mapping service exists whose callers could be checked but are not yet. */
export const canAddChecker = (parts: Parts): boolean =>
  parts.some(({ type }) =>
    type.ports.some((port) => port.protocol === 'os' && port.role === 'server'),
  ) &&
  parts.some(({ type }) => type.executes?.includes('map')) &&
  parts.every(({ type }) => type.name !== CHECKER);

export const checker = (index: number): CompiledPart => monitorPart(CHECKER, index);

const keyOf = ({ part, slot }: Pick<WireEnd, 'part' | 'slot'>) => `${part}.${slot}`;

/** The checker hears everybody who has something to say to it, also without a wire being written. */
export function contractWires(parts: Parts, wires: readonly Wire[]): Wire[] {
  const at = parts.findIndex(({ type }) => type.name === CHECKER);
  const hears = parts[at]?.type.ports.find(({ name }) => name === 'hears');
  const [where] = wires;
  if (!hears || !where) return [];
  const wired = new Set(wires.flatMap(({ ends }) => ends.map(keyOf)));
  const free = (end: WireEnd) => !wired.has(keyOf(end));
  const speakers = parts.flatMap(({ type }, part): WireEnd[] =>
    type.ports
      .filter(speaksContract)
      .map((port) => ({ part, port: port.name, index: 0, slot: port.first })),
  );
  const places = Array.from({ length: hears.count }, (_, index): WireEnd => {
    return { part: at, port: hears.name, index, slot: hears.first + index };
  }).filter(free);
  return speakers.filter(free).flatMap((speaker, i): Wire[] => {
    const place = places[i];
    return place ? [{ ends: [speaker, place], where: where.where }] : [];
  });
}

/** Stands in for what a machine has, or looks into it: a part of the engine's own checks. */
const isForChecks = ({ type }: Named) => type.layer === 'verify';

export const CHECKER_TYPES =
  'It is for proofs and tests of the engine only, not for machines that run.';

type Misplaced = [ScenarioPart, string];

/** Where no table makes the choices of such parts. A counterexample brings the choices along, in a table. */
function partsForChecks(parts: readonly ScenarioPart[]): Misplaced[] {
  if (parts.some((part) => isForChecks(part) && part.tables.size > 0)) return [];
  return parts
    .filter(isForChecks)
    .map((part) => [part, `${quote(part.name)} is a ${part.type.title}. ${CHECKER_TYPES}`]);
}

/** Each mapping is followed from its beginning to its end, so all that is said of it must reach one checker. */
function secondCheckers(parts: readonly ScenarioPart[]): Misplaced[] {
  const [first, ...more] = parts.filter(({ type }) => type.name === CHECKER);
  return more.map((part) => [
    part,
    `${quote(part.name)} would observe nothing: a machine has one ${part.type.title}, and ${quote(first?.name ?? '')} observes all parts.`,
  ]);
}

/** Parts that a machine cannot have, or not as well, each with the reason. */
export const misplaced = (parts: readonly ScenarioPart[], forChecks: boolean): Misplaced[] => [
  ...secondCheckers(parts),
  ...(forChecks ? [] : partsForChecks(parts)),
];
