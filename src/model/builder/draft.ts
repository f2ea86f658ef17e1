/**
 * A machine that is not finished, as far as it can be drawn and wired: what the file names and the engine has.
 * What is wrong with it the loader says; here stands which wires are possible, and why others are not.
 */
import type { PartType, PortSpec } from '../../engine/manifest';
import { ENGINE_PARTS } from '../scenario/catalogue';
import type { CompiledParam } from '../scenario/compile';
import { findPort } from '../scenario/machine';
import type { Assignment, Value, WireEnd } from '../scenario/scenario-types';
import { quote } from '../scenario/suggest';
import { substitute, toInteger, variableOf } from '../scenario/values';
import { wireComplaint } from '../scenario/wiring';
import { type BuildFile, endText, type Socket } from './file';

export interface DraftPart {
  readonly name: string;
  readonly title: string;
  readonly type: PartType;
  readonly at: readonly [number, number, number, number] | null;
  readonly params: readonly CompiledParam[];
  /** Rows of programs are no part of the drawing. */
  readonly tables: readonly (readonly { readonly values: readonly bigint[] }[])[];
}

interface DraftWire {
  readonly ends: readonly [WireEnd, WireEnd];
}

export interface Draft {
  readonly parts: readonly DraftPart[];
  readonly wires: readonly DraftWire[];
}

const scalar = (written: unknown): Value | undefined =>
  typeof written === 'object' && written !== null
    ? (written as { value: Value }).value
    : (written as Value | undefined);

/** The parameters of a part as far as they can be read; what cannot keeps the manifest's value. */
function paramsOf(
  name: string,
  type: PartType,
  written: Readonly<Record<string, unknown>>,
  variables: Assignment,
): CompiledParam[] {
  return type.params.map((spec, index) => {
    const raw = scalar(written[spec.name]);
    const found = raw === undefined ? null : substitute(raw, variables);
    const value =
      found && typeof found !== 'string' ? toInteger(found.value, spec.type, type.enums) : null;
    const usual = BigInt(spec.default);
    return {
      spec,
      index,
      path: `${name}.${spec.name}`,
      value: typeof value === 'bigint' ? value : usual,
      original: usual,
      edited: typeof value === 'bigint' && value !== usual,
      basis: raw === undefined ? (spec.basis as CompiledParam['basis']) : 'scenario',
      source: raw === undefined ? spec.source : '',
      variable: variableOf(raw) !== null,
    };
  });
}

function variablesOf(file: BuildFile): Assignment {
  const all = Object.entries(file.variables ?? {});
  return Object.fromEntries(all.map(([name, written]) => [name, scalar(written) as Value]));
}

function endOf(parts: readonly DraftPart[], taken: ReadonlySet<string>, text: string) {
  const [, partName = '', portName = ''] = /^([^.]+)\.([^.]+)$/.exec(text) ?? [];
  const part = parts.findIndex(({ name }) => name === partName);
  const found = parts[part] && findPort(parts[part].type, portName);
  if (!found) return null;
  const { port } = found;
  let index = found.index ?? 0;
  if (found.index === null) while (taken.has(`${part}.${port.first + index}`)) index++;
  return index < port.count ? { part, port: port.name, index, slot: port.first + index } : null;
}

const keyOf = ({ part, slot }: Pick<WireEnd, 'part' | 'slot'>) => `${part}.${slot}`;

export function draftOf(file: BuildFile): Draft {
  const variables = variablesOf(file);
  const parts = Object.entries(file.machine.parts).flatMap(([name, part]): DraftPart[] => {
    const type = ENGINE_PARTS.types.get(part.type);
    if (!type) return [];
    const params = paramsOf(name, type, part.params ?? {}, variables);
    const tables = type.tables.map(() => []);
    return [{ name, title: part.title ?? type.title, type, at: part.at ?? null, params, tables }];
  });
  const taken = new Set<string>();
  const wires = file.machine.wires.flatMap((texts): DraftWire[] => {
    const [a, b] = texts.map((text) => endOf(parts, taken, text));
    if (!a || !b) return [];
    for (const end of [a, b]) taken.add(keyOf(end));
    return [{ ends: [a, b] }];
  });
  return { parts, wires };
}

export const partIn = (draft: Draft, name: string): DraftPart | undefined =>
  draft.parts.find((part) => part.name === name);

/** A socket as an end of a wire; null where the machine has none such. */
function endIn({ parts }: Draft, { part: name, port, index }: Socket): WireEnd | null {
  const part = parts.findIndex((one) => one.name === name);
  const spec = parts[part]?.type.ports.find((one) => one.name === port);
  return spec ? { part, port, index, slot: spec.first + index } : null;
}

/** Who stands at the other end of a wire from a place; null where it is free. */
export function peerOf(draft: Draft, socket: Socket): Socket | null {
  const end = endIn(draft, socket);
  if (!end) return null;
  for (const { ends } of draft.wires) {
    const at = ends.findIndex((one) => keyOf(one) === keyOf(end));
    const other = ends[1 - at];
    if (at < 0 || !other) continue;
    const { part, port, index } = other;
    return { part: draft.parts[part]?.name ?? '', port, index };
  }
  return null;
}

export function socketText(draft: Draft, { part, port, index }: Socket): string {
  const spec = partIn(draft, part)?.type.ports.find(({ name }) => name === port);
  return spec ? endText(part, spec, index) : `${part}.${port}`;
}

/** The first free place of a port; null if all are taken. */
function freeIn(draft: Draft, part: string, { name, count }: PortSpec): Socket | null {
  for (let index = 0; index < count; index++) {
    const socket = { part, port: name, index };
    if (!peerOf(draft, socket)) return socket;
  }
  return null;
}

/** A wire that one might think of. */
export interface Choice {
  readonly to: Socket;
  /** Why it cannot be; null if it can. */
  readonly why: string | null;
}

const SAYS: Readonly<Record<string, string>> = { client: 'asks', server: 'serves' };

function whyNot(draft: Draft, from: Socket, own: PortSpec, part: DraftPart, port: PortSpec) {
  const label = quote(`${part.name}.${port.name}`);
  if (port.role === own.role)
    return `Both ends would ${own.role === 'client' ? 'ask' : 'serve'}: a wire joins one that asks and one that serves.`;
  const free = freeIn(draft, part.name, port);
  if (!free)
    return `${label} has ${port.count === 1 ? 'one place' : `${port.count} places`}, taken.`;
  const ends = [endIn(draft, from), endIn(draft, free)];
  const [a, b] = ends;
  return a && b ? wireComplaint(draft.parts, draft.wires, { ends: [a, b] }) : null;
}

/** The wires from a place to ports of its protocol at other parts; those that can be come first. */
export function choicesFor(draft: Draft, from: Socket): Choice[] {
  const own = partIn(draft, from.part)?.type.ports.find(({ name }) => name === from.port);
  if (!own) return [];
  const all = draft.parts
    .filter(({ name }) => name !== from.part)
    .flatMap((part) =>
      part.type.ports
        .filter(({ protocol }) => protocol === own.protocol)
        .map((port): Choice => {
          const to = freeIn(draft, part.name, port);
          const why = whyNot(draft, from, own, part, port);
          return { to: to ?? { part: part.name, port: port.name, index: 0 }, why };
        }),
    );
  return [...all.filter(({ why }) => why === null), ...all.filter(({ why }) => why !== null)];
}

/** Why no wire leads from a place to a part at all: what both speak. */
export function strangers(draft: Draft, from: Socket, to: string): string {
  const own = partIn(draft, from.part)?.type.ports.find(({ name }) => name === from.port);
  const other = partIn(draft, to);
  const spoken = [
    ...new Set(other?.type.ports.map(({ protocol, role }) => `${SAYS[role]} ${protocol}`)),
  ];
  return `${quote(socketText(draft, from))} ${SAYS[own?.role ?? '']} ${own?.protocol}; ${quote(to)} ${spoken.join(', ')}. No wire was added.`;
}

/** Places that a part cannot do without, and that are free. */
export const missing = (draft: Draft): Socket[] =>
  draft.parts.flatMap(({ name, type }) =>
    type.ports
      .filter(({ required }) => required)
      .map((port): Socket => ({ part: name, port: port.name, index: 0 }))
      .filter((socket) => !peerOf(draft, socket)),
  );

/** A wire that a new part or its neighbours cannot do without, and that can go one way only; null if there is none. */
export function plainWire(draft: Draft, part: string): readonly [Socket, Socket] | null {
  for (const socket of missing(draft)) {
    const [only, another] = choicesFor(draft, socket).filter(({ why }) => why === null);
    const isAbout = socket.part === part || only?.to.part === part;
    if (only && !another && isAbout) return [socket, only.to];
  }
  return null;
}
