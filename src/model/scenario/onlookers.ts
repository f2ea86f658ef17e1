/**
 * Parts that look on: they take no time and change nothing, so any machine can have them. They come last and
 * move no other part.
 */
import type { Basis, PartType, PortSpec } from '../../engine/manifest';
import { ENGINE_PARTS } from './catalogue';
import type { CompiledParam, CompiledPart } from './compile';
import type { Wire, WireEnd } from './scenario-types';

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

export function onlooker(name: string, index: number): CompiledPart {
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

/** Whether there is a mapping service whose callers can be checked, and nobody does yet. */
export const canCheck = (parts: Parts): boolean =>
  parts.some(({ type }) =>
    type.ports.some((port) => port.protocol === 'os' && port.role === 'server'),
  ) &&
  parts.some(({ type }) => type.carries?.includes('map')) &&
  parts.every(({ type }) => type.name !== CHECKER);

export const checker = (index: number): CompiledPart => onlooker(CHECKER, index);

/** The checker hears everybody who has something to say to it, without a wire being written. */
export function contractWires(parts: Parts, wires: readonly Wire[]): Wire[] {
  const at = parts.findIndex(({ type }) => type.name === CHECKER);
  const hears = parts[at]?.type.ports.find(({ name }) => name === 'hears');
  const [where] = wires;
  if (!hears || !where) return [];
  const ends = parts.flatMap(({ type }, part): WireEnd[] =>
    type.ports
      .filter(speaksContract)
      .map((port) => ({ part, port: port.name, index: 0, slot: port.first })),
  );
  return ends.slice(0, hears.count).map((end, index) => ({
    ends: [end, { part: at, port: hears.name, index, slot: hears.first + index }],
    where: where.where,
  }));
}
