/**
 * Checks that wired parts understand each other. A wire joins ports of one protocol, but a part may implement only
 * some of its messages. A machine is refused if a part could send a message that its peer does not handle, because
 * the sender would wait forever.
 */

import { quote } from '../../base/suggest';
import type { EnumMember, Need, PartType, PortSpec } from '../../engine/manifest';
import { ENGINE_PARTS, programTable } from './catalogue';
import type { EncodedRow } from './encode';
import type { Report } from './problems';
import type { Machine, ScenarioPart, Where, Wire } from './scenario-types';

/** One place of a port. */
interface Place {
  readonly part: number;
  readonly slot: number;
}

type Parts = readonly Pick<ScenarioPart, 'name' | 'type'>[];

const keyOf = ({ part, slot }: Place) => `${part}.${slot}`;

/** A message that reaches a port without a handler. */
interface Unhandled {
  /** Ports that forward the message, then the one that does not handle it. */
  readonly way: readonly string[];
  readonly message: string;
  /** The part at the end of the path. */
  readonly part: number;
}

/** A wire as a pair of places. */
interface Joined {
  readonly ends: readonly [Place, Place];
}

class Wiring {
  readonly #peers = new Map<string, Place>();

  constructor(
    private readonly parts: Parts,
    wires: readonly Joined[],
    /** Whether ports that are not wired yet may be wired later. */
    private readonly unfinished = false,
  ) {
    for (const { ends } of wires) {
      this.#peers.set(keyOf(ends[0]), ends[1]);
      this.#peers.set(keyOf(ends[1]), ends[0]);
    }
  }

  #portAt({ part, slot }: Place): PortSpec | undefined {
    const holds = ({ first, count }: PortSpec) => slot >= first && slot < first + count;
    return this.parts[part]?.type.ports.find(holds);
  }

  #nameOf(place: Place): string {
    const port = this.#portAt(place);
    const index = port && port.count > 1 ? String(place.slot - port.first) : '';
    return `${this.parts[place.part]?.name}.${port?.name}${index}`;
  }

  /** The port that does not handle a message sent to a port, directly or forwarded; null if it is handled. */
  #unhandled(at: Place, message: string, way: readonly string[] = []): Unhandled | null {
    const port = this.#portAt(at);
    const passed = [...way, this.#nameOf(at)];
    const duty = port && Object.hasOwn(port.receives, message) ? port.receives[message] : undefined;
    if (!port || duty === undefined) return { way: passed, message, part: at.part };
    if (!duty || way.length > this.parts.length) return null;
    const [name = '', next = message] = duty.split('.');
    const target = this.parts[at.part]?.type.ports.find((one) => one.name === name);
    if (!target) return { way: passed, message, part: at.part };
    const index = target.count > 1 && target.count === port.count ? at.slot - port.first : 0;
    const peer = this.#peers.get(keyOf({ part: at.part, slot: target.first + index }));
    return peer ? this.#unhandled(peer, next, passed) : null;
  }

  /** Whether the message that must precede another can occur: the other end sends or handles it. */
  #occurs(other: Place, before: string | null): boolean {
    const port = this.#portAt(other);
    if (before === null || !port) return true;
    return Object.hasOwn(port.sends, before) || typeof port.receives[before] === 'string';
  }

  #sentence(speaker: string, { way, message }: Unhandled): string {
    const passing = way.slice(0, -1).map(quote).join(', ');
    const through = passing ? `, and ${passing} passes it on` : '';
    return `${quote(speaker)} sends "${message}"${through} to ${quote(way.at(-1) ?? '')}, which does not handle it: the sender would wait forever.`;
  }

  /** The part wired to a part's port, by the port's name; undefined if there is none. */
  #peerAt(part: number, name: string | undefined): Place | undefined {
    const port = this.parts[part]?.type.ports.find((one) => one.name === name);
    return port && this.#peers.get(keyOf({ part, slot: port.first }));
  }

  /** Whether a part wired to this one can send it "port.message". */
  #canReceive(part: number, required: string): boolean {
    const [name, message = ''] = required.split('.');
    const port = this.parts[part]?.type.ports.find((one) => one.name === name);
    return Array.from({ length: port?.count ?? 0 }, (_, i) =>
      this.#peers.get(keyOf({ part, slot: (port?.first ?? 0) + i })),
    ).some((peer) => peer && Object.hasOwn(this.#portAt(peer)?.sends ?? {}, message));
  }

  /** The error for a port that needs a message which no wired part sends. */
  #unmetRequirement(at: Place, required: string): string {
    const [port, message] = required.split('.');
    const wire = quote(`${this.parts[at.part]?.name}.${port}`);
    return `${quote(this.#nameOf(at))} works only if a part wired to ${wire} sends "${message}", and none does.`;
  }

  /** Why the wiring of other ports makes a port unusable; null if it does not. */
  #unusable(at: Place): string | null {
    const port = this.#portAt(at);
    const name = quote(this.#nameOf(at));
    const other = (of: string) => quote(`${this.parts[at.part]?.name}.${of}`);
    if (port?.requiresWired && !this.unfinished && !this.#peerAt(at.part, port.requiresWired))
      return `${name} works only if ${other(port.requiresWired)} is wired, and it is not.`;
    if (port?.forbidsWired && this.#peerAt(at.part, port.forbidsWired))
      return `${name} works only if ${other(port.forbidsWired)} is not wired, and it is.`;
    if (port?.requiresSender && !this.unfinished && !this.#canReceive(at.part, port.requiresSender))
      return this.#unmetRequirement(at, port.requiresSender);
    return null;
  }

  /** Whether a requirement on the peer applies in this machine. */
  #matters(at: Place, { when }: Need): boolean {
    const [own, others] = when?.split('.') ?? [];
    const peer = own === undefined ? undefined : this.#peerAt(at.part, own);
    return own === undefined || (peer !== undefined && Boolean(this.#peerAt(peer.part, others)));
  }

  /** Messages that the peer at a port must send, as "port.message". */
  #needsAt(at: Place): readonly string[] {
    return (this.#portAt(at)?.needs ?? []).flatMap((need) =>
      this.#matters(at, need) ? need.sends : [],
    );
  }

  /** Why one end of a wire would wait forever, or cannot serve the other; null if neither. */
  wireError({ ends }: Joined): string | null {
    for (const [from, to] of [ends, [ends[1], ends[0]] as const]) {
      const unusable = this.#unusable(from);
      if (unusable) return unusable;
      for (const [message, before] of Object.entries(this.#portAt(from)?.sends ?? {})) {
        const unhandled = this.#occurs(to, before) ? this.#unhandled(to, message) : null;
        if (unhandled) return this.#sentence(this.#nameOf(from), unhandled);
      }
      for (const need of this.#needsAt(from)) {
        const sentence = this.unsendable(to.part, need);
        if (sentence)
          return `${quote(this.#nameOf(from))} delegates to ${quote(this.parts[to.part]?.name ?? '')}: ${sentence}`;
      }
      for (const operation of this.#portAt(from)?.calls ?? []) {
        const sentence = this.unexecuted(from, operation);
        if (sentence) return `${quote(this.#nameOf(from))} calls "${operation}": ${sentence}`;
      }
    }
    return null;
  }

  /** Why no part at a port, or at those to which it forwards calls, executes an operation; null if one does. */
  unexecuted(from: Place, operation: string): string | null {
    let port = this.#portAt(from);
    let at: Place | undefined = from;
    const way: string[] = [];
    while (port && at && way.length < this.parts.length) {
      const peer = this.#peers.get(keyOf(at));
      const service = peer && this.parts[peer.part];
      if (!peer || !service) break;
      if (service.type.executes?.includes(operation)) return null;
      way.push(`${quote(service.name)} (${service.type.title})`);
      const entered = this.#portAt(peer);
      port = service.type.ports.find((one) => one.name === service.type.forwardsTo);
      const index = entered && port && port.count === entered.count ? peer.slot - entered.first : 0;
      at = port && { part: peer.part, slot: port.first + index };
    }
    const able = [...ENGINE_PARTS.types.values()].filter((one) =>
      one.executes?.includes(operation),
    );
    return `it is an operation of ${able.map(({ title }) => title).join(' or ')}, and ${way.join(' and ')} cannot do it.`;
  }

  /** The same, for a part's port given by name. */
  unexecutedAt(part: number, name: string, operation: string): string | null {
    const port = this.parts[part]?.type.ports.find((one) => one.name === name);
    return port ? this.unexecuted({ part, slot: port.first }, operation) : null;
  }

  /** Why a part cannot send "port.message"; null if it can. */
  unsendable(part: number, sent: string): string | null {
    const [name = '', message = ''] = sent.split('.');
    const port = this.parts[part]?.type.ports.find((one) => one.name === name);
    if (!port) return null;
    const at = { part, slot: port.first };
    const peer = this.#peers.get(keyOf(at));
    if (!peer && this.unfinished) return null;
    if (!peer)
      return `it sends "${message}" at ${quote(this.#nameOf(at))}, which is not wired. ${port.doc}`.trim();
    const unhandled = this.#unhandled(peer, message);
    return unhandled ? this.#sentence(this.#nameOf(at), unhandled) : null;
  }

  /**
   * Which part does not handle an operation's messages, and the operations possible instead; '' if all are handled.
   */
  instead(part: number, operation: EnumMember, members: readonly EnumMember[]): string {
    const type = this.parts[part]?.type;
    for (const sent of operation.sends ?? []) {
      const [name = '', message = ''] = sent.split('.');
      const port = type?.ports.find((one) => one.name === name);
      const peer = port && this.#peers.get(keyOf({ part, slot: port.first }));
      const unhandled = peer && this.#unhandled(peer, message);
      const other = unhandled && this.parts[unhandled.part];
      if (!port || !other) continue;
      const able = members.filter(
        (one) => one.sends?.[0]?.startsWith(`${name}.`) && !whyNot(this, part, one),
      );
      const names = able.map((one) => quote(one.name)).join(', ');
      const here =
        able.length > 0
          ? ` At ${quote(`${this.parts[part]?.name}.${name}`)} this machine can do ${names}.`
          : '';
      return ` ${quote(other.name)}: ${other.type.doc}${here}`;
    }
    return '';
  }
}

/** All wiring errors of a machine, with their positions. */
export function wiringProblems(
  parts: Parts,
  wires: readonly Wire[],
  report: (where: Where, message: string) => void,
): void {
  const wiring = new Wiring(parts, wires);
  for (const wire of wires) {
    const message = wiring.wireError(wire);
    if (message) report(wire.where, message);
  }
}

/** Why one more wire would leave a part waiting forever; null if it would not. */
export const wireError = (parts: Parts, wires: readonly Joined[], wire: Joined): string | null =>
  new Wiring(parts, [...wires, wire]).wireError(wire);

/** Whether a wire can be added to a machine that is not finished. */
export const canBeWired = (parts: Parts, wires: readonly Joined[], wire: Joined): boolean =>
  new Wiring(parts, [...wires, wire], true).wireError(wire) === null;

/** The operations of a part's programs, each with the reason why it cannot be executed, or null. */
export function offeredOperations(parts: Parts, wires: readonly Joined[], part: number) {
  const wiring = new Wiring(parts, wires);
  const type = parts[part]?.type;
  const members = type ? operationsOf(type).members : [];
  return members.map((member) => ({ member, why: whyNot(wiring, part, member) ?? null }));
}

const wirings = new WeakMap<Machine, Wiring>();

function wiringOf(machine: Machine): Wiring {
  const known = wirings.get(machine) ?? new Wiring(machine.parts, machine.wires);
  wirings.set(machine, known);
  return known;
}

/** The operations of a part's programs, and the field that selects them. */
function operationsOf(type: PartType) {
  const table = programTable(type);
  const at = table?.fields.findIndex((field) => field.name === 'do') ?? -1;
  const members: readonly EnumMember[] = type.enums[table?.fields[at]?.type ?? ''] ?? [];
  return { table: table ? type.tables.indexOf(table) : -1, at, members };
}

/** Why an operation cannot be executed in this machine; null or undefined if it can. */
function whyNot(wiring: Wiring, part: number, operation: EnumMember) {
  const unsendable = operation.sends?.map((sent) => wiring.unsendable(part, sent)).find(Boolean);
  const [port = ''] = operation.sends?.[0]?.split('.') ?? [];
  return unsendable ?? (operation.executedBy && wiring.unexecutedAt(part, port, operation.name));
}

interface Programmed {
  readonly type: PartType;
  readonly tables: readonly (readonly EncodedRow[])[];
}

/** Reports rows of programs that cannot be executed because no part handles their messages. */
export function programWiringProblems(
  machine: Machine,
  parts: readonly Programmed[],
  report: Report,
): void {
  parts.forEach(({ type, tables }, part) => {
    const { table, at, members } = operationsOf(type);
    const seen = new Set<bigint>();
    for (const { values, where } of tables[table] ?? []) {
      const value = values[at] ?? 0n;
      if (seen.has(value)) continue;
      seen.add(value);
      const member = members[Number(value)];
      const why = member && whyNot(wiringOf(machine), part, member);
      if (!why) continue;
      const instead = wiringOf(machine).instead(part, member, members);
      report(where.problem(`${quote(member.name)} cannot be executed: ${why}${instead}`));
    }
  });
}
