/**
 * An unfinished machine, as far as it can be drawn and wired: the known parts and wires of the file. The loader
 * reports its errors; this file finds possible wires, and the reasons why others are not possible.
 */
import { quote } from '../../base/suggest';
import type { PartType, PortSpec } from '../../engine/manifest';
import { Addresses } from '../scenario/address-map';
import { ENGINE_PARTS } from '../scenario/catalogue';
import type { CompiledParam } from '../scenario/compiled';
import { findPort } from '../scenario/load-machine';
import type { Assignment, Value, WireEnd } from '../scenario/scenario-types';
import { addressText, substitute, toInteger, variableOf } from '../scenario/values';
import { canBeWired, wireError } from '../scenario/wiring';
import { endText, type Socket } from './build-file';
import type { BuildFile } from './build-types';

export interface DraftPart {
  readonly name: string;
  readonly title: string;
  readonly type: PartType;
  readonly at: readonly [number, number, number, number] | null;
  readonly params: readonly CompiledParam[];
  /** Required by the drawing's type; programs are not drawn. */
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

/** The readable parameters of a part; invalid ones have their default. */
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

/** Files are immutable; an offer reads each many times. */
const drafts = new WeakMap<BuildFile, Draft>();

export function draftOf(file: BuildFile): Draft {
  const known = drafts.get(file) ?? readDraft(file);
  drafts.set(file, known);
  return known;
}

function readDraft(file: BuildFile): Draft {
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

/** A socket as an end of a wire; null if the machine has no such socket. */
function endIn({ parts }: Draft, { part: name, port, index }: Socket): WireEnd | null {
  const part = parts.findIndex((one) => one.name === name);
  const spec = parts[part]?.type.ports.find((one) => one.name === port);
  return spec ? { part, port, index, slot: spec.first + index } : null;
}

/** The socket at the other end of a wire; null if it is free. */
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

/** A candidate wire. */
export interface Choice {
  readonly to: Socket;
  /** Why it is not possible; null if it is. */
  readonly why: string | null;
  /** Wires that it requires and that are added with it. */
  readonly also: readonly SocketPair[];
}

export type SocketPair = readonly [Socket, Socket];

const ROLE_VERBS: Readonly<Record<string, string>> = { client: 'is a client of', server: 'serves' };

const opposite = (a: PortSpec, b: PortSpec) => a.protocol === b.protocol && a.role !== b.role;

function wireOf(draft: Draft, [from, to]: SocketPair): DraftWire | null {
  const [a, b] = [endIn(draft, from), endIn(draft, to)];
  return a && b ? { ends: [a, b] } : null;
}

/** Why wires cannot be added together; null if they can. */
function wiringErrorOf(draft: Draft, pairs: readonly SocketPair[]): string | null {
  const added = pairs.flatMap((pair) => wireOf(draft, pair) ?? []);
  for (const wire of added) {
    const others = [...draft.wires, ...added.filter((one) => one !== wire)];
    const why = wireError(draft.parts, others, wire);
    if (why) return why;
  }
  return null;
}

/** Possible wires between a part's free ports and another part. */
function pairsBetween(draft: Draft, own: DraftPart, other: DraftPart): SocketPair[] {
  return own.type.ports.flatMap((port) =>
    other.type.ports.flatMap((peer): SocketPair[] => {
      if (own === other || !opposite(port, peer)) return [];
      const [a, b] = [freeIn(draft, own.name, port), freeIn(draft, other.name, peer)];
      return a && b ? [[a, b]] : [];
    }),
  );
}

const isAt = (pair: SocketPair, socket: Socket) =>
  pair.some(({ part, port }) => part === socket.part && port === socket.port);

/**
 * The wires that must accompany a wire: between the same two parts, or from them to others. Null if there are none.
 */
function companionsOf(draft: Draft, wire: SocketPair): readonly SocketPair[] | null {
  const ends = wire.map(({ part }) => partIn(draft, part));
  const [a, b] = ends;
  if (!a || !b) return null;
  const isOther = (pair: SocketPair) => !wire.some((socket) => isAt(pair, socket));
  const between = pairsBetween(draft, a, b).filter(isOther);
  const pastDecision = [a, b].flatMap((own) =>
    draft.parts
      .filter((part) => part !== a && part !== b)
      .flatMap((part) => pairsBetween(draft, own, part))
      .filter((pair) => isOther(pair) && portIn(draft, pair[0])?.role === 'client'),
  );
  const sets = [...between.map((pair) => [pair]), between, ...pastDecision.map((pair) => [pair])];
  return sets.find((set) => wiringErrorOf(draft, [wire, ...set]) === null) ?? null;
}

/** A processor's cache also connects its register accesses and interrupts, if it has ports for them. */
function cacheWires(
  draft: Draft,
  wire: SocketPair,
  needed: readonly SocketPair[],
): readonly SocketPair[] {
  const [a, b] = wire.map(({ part }) => partIn(draft, part));
  if (!a || !b || portIn(draft, wire[0])?.protocol !== 'cache') return [];
  const more = pairsBetween(draft, a, b).filter(
    (pair) =>
      ['front', 'irq'].includes(portIn(draft, pair[0])?.protocol ?? '') &&
      ![wire, ...needed].some((other) => other.some((socket) => isAt(pair, socket))),
  );
  return more.filter((pair) => wiringErrorOf(draft, [wire, ...needed, pair]) === null);
}

const portIn = (draft: Draft, { part, port }: Socket): PortSpec | undefined =>
  partIn(draft, part)?.type.ports.find(({ name }) => name === port);

/** Titles of the part types that a port can be wired to. */
export function takersOf(draft: Draft, from: Socket): string[] {
  const own = portIn(draft, from);
  const end = endIn(draft, from);
  if (!own || !end) return [];
  return [...ENGINE_PARTS.types.values()]
    .filter(({ layer }) => layer !== 'verify')
    .filter((type) => {
      const name = '\u0000';
      const parts = [...draft.parts, { name, title: '', type, at: null, params: [], tables: [] }];
      return type.ports.some((port) => {
        const to = { part: draft.parts.length, port: port.name, index: 0, slot: port.first };
        return opposite(own, port) && canBeWired(parts, draft.wires, { ends: [end, to] });
      });
    })
    .map(({ title }) => title);
}

const listed = (names: readonly string[]): string =>
  names.length > 1 ? `${names.slice(0, -1).join(', ')} or ${names.at(-1)}` : (names[0] ?? '');

/** What a socket could be wired to, as a sentence. */
function instead(draft: Draft, from: Socket): string {
  const takers = takersOf(draft, from);
  const text = quote(socketText(draft, from));
  return takers.length > 0
    ? `${text} can be wired to a part of type ${listed(takers)}.`
    : `No part type can be wired to ${text} in this machine.`;
}

function choiceFor(draft: Draft, from: Socket, own: PortSpec, part: DraftPart, port: PortSpec) {
  const label = quote(`${part.name}.${port.name}`);
  const free = freeIn(draft, part.name, port);
  const refuse = (why: string): Choice => ({
    to: free ?? { part: part.name, port: port.name, index: 0 },
    why,
    also: [],
  });
  if (port.role === own.role)
    return refuse(`Both ends are ${own.role}s: a wire joins a client and a server.`);
  if (!free) {
    const places = port.count === 1 ? 'one place' : `${port.count} places`;
    return refuse(`${label} has ${places}, taken: remove a wire there first.`);
  }
  const why = wiringErrorOf(draft, [[from, free]]);
  const needed = why === null ? [] : companionsOf(draft, [from, free]);
  if (!needed) return refuse(why ?? '');
  const also = [...needed, ...cacheWires(draft, [from, free], needed)];
  return { to: free, why: null, also };
}

/** Candidate wires from a socket to ports of its protocol at other parts. */
function wiresFrom(draft: Draft, from: Socket): Choice[] {
  const own = portIn(draft, from);
  if (!own) return [];
  return draft.parts
    .filter(({ name }) => name !== from.part)
    .flatMap((part) =>
      part.type.ports
        .filter(({ protocol }) => protocol === own.protocol)
        .map((port): Choice => choiceFor(draft, from, own, part, port)),
    );
}

/** The possible ones. */
export const possibleFor = (draft: Draft, from: Socket): Choice[] =>
  wiresFrom(draft, from).filter(({ why }) => why === null);

/** Sockets that could be wired if other wires of their parts existed. */
export function pendingFor(draft: Draft, from: Socket): Socket[] {
  return wiresFrom(draft, from).flatMap(({ to, why }) => {
    const wire = wireOf(draft, [from, to]);
    const isOpen =
      why !== null &&
      wire !== null &&
      peerOf(draft, to) === null &&
      portIn(draft, to)?.role !== portIn(draft, from)?.role;
    return isOpen && canBeWired(draft.parts, draft.wires, wire) ? [to] : [];
  });
}

/** All candidates, the possible ones first; the others with the reason and what would be possible. */
export function choicesFor(draft: Draft, from: Socket): Choice[] {
  const all = wiresFrom(draft, from);
  const refused = all.filter(({ why }) => why !== null);
  const helps = refused.length > 0 ? instead(draft, from) : '';
  return [
    ...all.filter(({ why }) => why === null),
    ...refused.map((choice) => ({ ...choice, why: `${choice.why} ${helps}` })),
  ];
}

/** Why no wire is possible between a socket and a part: they have no protocol in common. */
export function strangers(draft: Draft, from: Socket, to: string): string {
  const own = partIn(draft, from.part)?.type.ports.find(({ name }) => name === from.port);
  const other = partIn(draft, to);
  const roles = [
    ...new Set(other?.type.ports.map(({ protocol, role }) => `${ROLE_VERBS[role]} ${protocol}`)),
  ];
  return `${quote(socketText(draft, from))} ${ROLE_VERBS[own?.role ?? '']} ${own?.protocol}; ${quote(to)} ${roles.join(', ')}. No wire was added.`;
}

/** Required sockets that are free. */
export const missing = (draft: Draft): Socket[] =>
  draft.parts.flatMap(({ name, type }) =>
    type.ports
      .filter(({ required }) => required)
      .map((port): Socket => ({ part: name, port: port.name, index: 0 }))
      .filter((socket) => !peerOf(draft, socket)),
  );

/**
 * Wires with only one possibility: the required ones of a new part or its neighbours first, then the only wire of
 * a part that has none, such as a driver beside one processor.
 */
export function plainWires(draft: Draft, part: string): readonly SocketPair[] {
  const isAbout = (wires: readonly SocketPair[]) =>
    wires[0]?.some((socket) => socket.part === part) ?? false;
  const required = missing(draft)
    .map((socket) => wiresAt(draft, socket))
    .filter(([only]) => only && isAbout(only));
  const wired = new Set(draft.wires.flatMap(({ ends }) => ends.map((end) => end.part)));
  const unwired = draft.parts
    .filter((_, index) => !wired.has(index))
    .map(({ name, type }) =>
      type.ports.flatMap((port) => wiresAt(draft, { part: name, port: port.name, index: 0 })),
    );
  for (const [only, another] of [...required, ...unwired]) if (only && !another) return only;
  return [];
}

/** The possible wires from a socket, each with those that it requires. */
const wiresAt = (draft: Draft, socket: Socket): readonly SocketPair[][] =>
  possibleFor(draft, socket).map(({ to, also }) => [[socket, to], ...also]);

export function answersAt({ parts, wires }: Draft, name: string): string[] {
  const addresses = new Addresses(parts, wires);
  const own = parts.findIndex((part) => part.name === name);
  const texts = parts.flatMap(({ type }, at) =>
    type.name === 'processor'
      ? addresses
          .seenBy(at)
          .filter(({ part }) => part === own)
          .map(
            ({ spec, from, end }) =>
              `${spec.region}: ${addressText(from)} to ${addressText(end - 1n)}`,
          )
      : [],
  );
  return [...new Set(texts)];
}
