/**
 * Monitors: parts that take no time and change nothing, so they can be added to any machine. They are added last,
 * so the indices of other parts stay.
 */

import { quote } from '../../base/suggest';
import type { Basis, PartType, PortSpec } from '../../engine/manifest';
import { ENGINE_PARTS } from './catalogue';
import type { CompiledParam, CompiledPart } from './compiled';
import type { ScenarioPart, Wire, WireEnd } from './scenario-types';

/** Its parameters with their default values. */
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

/** Whether there is a mapping service whose callers are not checked yet. */
export const canAddChecker = (parts: Parts): boolean =>
  parts.some(({ type }) =>
    type.ports.some((port) => port.protocol === 'os' && port.role === 'server'),
  ) &&
  parts.some(({ type }) => type.executes?.includes('map')) &&
  parts.every(({ type }) => type.name !== CHECKER);

export const checker = (index: number): CompiledPart => monitorPart(CHECKER, index);

const keyOf = ({ part, slot }: Pick<WireEnd, 'part' | 'slot'>) => `${part}.${slot}`;

/** Wires between the checker and all parts that report mappings, in addition to those in the file. */
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

/** Whether a part is a testbench or monitor of the engine's own checks. */
const isForChecks = ({ type }: Named) => type.layer === 'verify';

export const CHECKER_TYPES =
  'It is for proofs and tests of the engine only, not for machines that run.';

type UnusablePart = [ScenarioPart, string];

/** Verification parts of a machine that has no table of choices. (A counterexample has such a table.) */
function partsForChecks(parts: readonly ScenarioPart[]): UnusablePart[] {
  if (parts.some((part) => isForChecks(part) && part.tables.size > 0)) return [];
  return parts
    .filter(isForChecks)
    .map((part) => [part, `${quote(part.name)} is a ${part.type.title}. ${CHECKER_TYPES}`]);
}

/** Additional checkers: a mapping can be followed only if one checker observes all calls. */
function secondCheckers(parts: readonly ScenarioPart[]): UnusablePart[] {
  const [first, ...more] = parts.filter(({ type }) => type.name === CHECKER);
  return more.map((part) => [
    part,
    `${quote(part.name)} would observe nothing: a machine has one ${part.type.title}, and ${quote(first?.name ?? '')} observes all parts.`,
  ]);
}

/** Parts that a machine cannot have, each with the reason. */
export const unusableParts = (
  parts: readonly ScenarioPart[],
  forChecks: boolean,
): UnusablePart[] => [...secondCheckers(parts), ...(forChecks ? [] : partsForChecks(parts))];
