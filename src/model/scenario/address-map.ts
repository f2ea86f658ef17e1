/**
 * Address decoding. Parts claim windows of addresses; buses and bridges forward the claims of others; manifests
 * declare both (`addresses`). A machine is refused if two parts claim the same address, because only one of them
 * could be reached, or if a driver's register addresses are not those of a part that it can drive.
 */

import { quote } from '../../base/suggest';
import type { AddressSpec, DrivenRegisters, PartType } from '../../engine/manifest';
import { ENGINE_PARTS } from './catalogue';
import { addressText } from './values';

/** The fields of a part that address decoding needs. */
export interface Addressed {
  readonly name: string;
  readonly type: PartType;
  readonly params: readonly {
    readonly spec: { readonly name: string; readonly title: string };
    readonly value: bigint;
  }[];
}

/** A parameter: index of its part, and its name. */
export type Owned = readonly [part: number, param: string];

export interface AddressConflict {
  readonly owned: readonly Owned[];
  /** The part to report if no parameter was set explicitly. */
  readonly part: number;
  readonly message: string;
}

/** Addresses answered by a part, as seen from some place: `from` inclusive, `end` exclusive. */
export interface Claim {
  readonly part: number;
  readonly spec: AddressSpec;
  readonly from: bigint;
  readonly end: bigint;
}

interface Place {
  readonly part: number;
  readonly slot: number;
}

/** A wire as a pair of places. */
interface Joined {
  readonly ends: readonly [Place, Place];
}

const keyOf = ({ part, slot }: Place) => `${part}.${slot}`;

export class Addresses {
  readonly #peers = new Map<string, Place>();

  constructor(
    readonly parts: readonly Addressed[],
    wires: readonly Joined[],
  ) {
    for (const { ends } of wires) {
      this.#peers.set(keyOf(ends[0]), ends[1]);
      this.#peers.set(keyOf(ends[1]), ends[0]);
    }
  }

  param(part: number, name: string): Addressed['params'][number] | undefined {
    return this.parts[part]?.params.find(({ spec }) => spec.name === name);
  }

  /** The service that executes an operation: this one, or one to which it forwards calls. */
  carrierOf(part: number, operation: string, depth = this.parts.length): number | undefined {
    const { executes, forwardsTo } = this.parts[part]?.type ?? {};
    if (executes?.includes(operation)) return part;
    const [[, next] = []] = forwardsTo ? this.peersAt(part, forwardsTo) : [];
    return next && depth > 0 ? this.carrierOf(next.part, operation, depth - 1) : undefined;
  }

  #term(part: number, term = '0'): bigint {
    return this.param(part, term)?.value ?? BigInt(term);
  }

  /** The wired places of a port, each with the place at the other end. */
  peersAt(part: number, name: string, index?: number): [Place, Place][] {
    const port = this.parts[part]?.type.ports.find((one) => one.name === name);
    return Array.from({ length: port?.count ?? 0 }, (_, i) => i)
      .filter((i) => index === undefined || i === index)
      .flatMap((i): [Place, Place][] => {
        const place = { part, slot: (port?.first ?? 0) + i };
        const peer = this.#peers.get(keyOf(place));
        return peer ? [[place, peer]] : [];
      });
  }

  #isAt({ part, slot }: Place, { port: name, index }: AddressSpec['at']): boolean {
    const port = this.parts[part]?.type.ports.find((one) => one.name === name);
    const at = slot - (port?.first ?? slot + 1);
    return at >= 0 && at < (port?.count ?? 0) && (index === undefined || at === index);
  }

  #specsAt(place: Place): readonly AddressSpec[] {
    const { part } = place;
    return (this.parts[part]?.type.addresses ?? []).filter(
      (spec) =>
        this.#isAt(place, spec.at) &&
        (spec.requiresWired === undefined || this.peersAt(part, spec.requiresWired).length > 0) &&
        (spec.none === undefined || this.#term(part, spec.from) !== BigInt(spec.none)),
    );
  }

  #window(part: number, spec: AddressSpec): Claim {
    const from = this.#term(part, spec.from);
    return { part, spec, from, end: from + this.#term(part, spec.bytes) * BigInt(spec.times ?? 1) };
  }

  /** The places of the same part to which a place forwards. */
  #forwardedFrom(place: Place, spec: AddressSpec, number?: number): Place[] {
    const { to } = spec;
    if (!to) return [];
    return this.peersAt(place.part, to.port, spec.numbered ? number : to.index)
      .filter(([own]) => own.slot !== place.slot)
      .map(([, peer]) => peer);
  }

  /** The claims visible to the peer at a place: whole windows, not their contents. */
  claimsAt(place: Place, depth = this.parts.length): Claim[] {
    return this.#specsAt(place).flatMap((spec): Claim[] => {
      if (spec.from !== undefined) return [this.#window(place.part, spec)];
      if (depth === 0 || spec.numbered) return [];
      return this.#forwardedFrom(place, spec).flatMap((peer) => this.claimsAt(peer, depth - 1));
    });
  }

  /** The parts that finally answer, at the addresses as seen from a place. */
  seenFrom(place: Place, number?: number, depth = this.parts.length): Claim[] {
    if (depth === 0) return [];
    return this.#specsAt(place).flatMap((spec): Claim[] => {
      const within = (peer: Place, slot?: number) => this.seenFrom(peer, slot, depth - 1);
      if (spec.from === undefined)
        return this.#forwardedFrom(place, spec, number).flatMap((peer) => within(peer));
      const window = this.#window(place.part, spec);
      if (!spec.to) return [window];
      const times = spec.times ?? 1;
      const bytes = (window.end - window.from) / BigInt(times);
      const first =
        spec.times || spec.as !== undefined ? this.#term(place.part, spec.as) : window.from;
      return Array.from({ length: times }, (_, i) => i).flatMap((i) => {
        const start = window.from + BigInt(i) * bytes;
        return this.#forwardedFrom(place, spec)
          .flatMap((peer) => within(peer, spec.times ? i : undefined))
          .filter(({ from }) => from >= first && from < first + bytes)
          .map((claim) => {
            const from = start + claim.from - first;
            const end = from + claim.end - claim.from;
            return { ...claim, from, end: end < start + bytes ? end : start + bytes };
          });
      });
    });
  }

  /** The addresses that a part itself answers, as they are on its bus. */
  ownClaims(part: number): Claim[] {
    return (this.parts[part]?.type.addresses ?? []).flatMap((spec) =>
      spec.from !== undefined && !spec.to ? [this.#window(part, spec)] : [],
    );
  }

  /** The processors that run a service, directly or through another service. */
  processorsOf(part: number, depth = this.parts.length): number[] {
    const { ports = [] } = this.parts[part]?.type ?? {};
    if (ports.some(({ protocol, role }) => protocol === 'front' && role === 'client'))
      return [part];
    if (depth === 0) return [];
    return ports
      .filter(({ protocol, role }) => protocol === 'os' && role === 'server')
      .flatMap(({ name }) => this.peersAt(part, name))
      .flatMap(([, peer]) => this.processorsOf(peer.part, depth - 1));
  }

  /** The place that a processor's programmed I/O goes to. */
  #frontOf(processor: number): Place | undefined {
    const front = this.parts[processor]?.type.ports.find(
      ({ protocol, role }) => protocol === 'front' && role === 'client',
    );
    const [[, peer] = []] = this.peersAt(processor, front?.name ?? '');
    return peer;
  }

  /** The claims that a processor reaches by programmed I/O. */
  seenBy(processor: number): Claim[] {
    const front = this.#frontOf(processor);
    return front ? this.seenFrom(front) : [];
  }

  /** The last part that forwards an address from a processor, whether or not a part answers. */
  lastBefore(processor: number, address: bigint): number | undefined {
    const front = this.#frontOf(processor);
    return front && this.#lastFrom(front, address);
  }

  #lastFrom(
    place: Place,
    address: bigint,
    number?: number,
    depth = this.parts.length,
  ): number | undefined {
    if (depth === 0) return undefined;
    const further = (spec: AddressSpec, at: bigint, slot?: number) =>
      this.#forwardedFrom(place, spec, number)
        .map((peer) => this.#lastFrom(peer, at, slot, depth - 1))
        .find((part) => part !== undefined);
    for (const spec of this.#specsAt(place)) {
      if (spec.from === undefined) {
        const last = further(spec, address) ?? (spec.numbered ? place.part : undefined);
        if (last !== undefined) return last;
        continue;
      }
      const { from, end } = this.#window(place.part, spec);
      if (address < from || address >= end || !spec.to) continue;
      const bytes = (end - from) / BigInt(spec.times ?? 1);
      const slot = (address - from) / bytes;
      const first = spec.times || spec.as !== undefined ? this.#term(place.part, spec.as) : from;
      const pastDecision = first + (address - from - slot * bytes);
      return further(spec, pastDecision, spec.times ? Number(slot) : undefined) ?? place.part;
    }
    return undefined;
  }

  nameOf(part: number): string {
    return quote(this.parts[part]?.name ?? '');
  }
}

const rangeOf = ({ from, end }: Claim) => `${addressText(from)} to ${addressText(end - 1n)}`;

const ownedBy = (parts: readonly Addressed[], { part, spec }: Claim): Owned[] =>
  [spec.from, spec.bytes].flatMap((term): Owned[] =>
    term && parts[part]?.params.some((one) => one.spec.name === term) ? [[part, term]] : [],
  );

const overlap = (a: Claim, b: Claim) => a.from < b.end && b.from < a.end;

/** Ports at which a part forwards the claims of all other parts. */
const passing = ({ type }: Addressed) =>
  (type.addresses ?? []).flatMap(({ to, from, numbered, first = false }) =>
    to && from === undefined && !numbered ? [{ to, first }] : [],
  );

/**
 * Pairs of claims that compete at a part. A part that is asked first hides single addresses of others, not a whole
 * window.
 */
function competing(addresses: Addresses, at: number): [Claim, Claim][] {
  const ports = passing(addresses.parts[at] as Addressed);
  const seen = ports.flatMap(({ to, first }) =>
    addresses.peersAt(at, to.port, to.index).map(([, peer]) => ({ first, peer })),
  );
  const all = ({ peer }: (typeof seen)[0]) => addresses.claimsAt(peer);
  const leaves = ({ peer }: (typeof seen)[0]) => addresses.seenFrom(peer);
  return seen.flatMap((one, i) => {
    const own = all(one);
    const twice = own.flatMap((a, k) => own.slice(k + 1).map((b): [Claim, Claim] => [a, b]));
    const others = seen.slice(i + 1).flatMap((other) => {
      const claims = one.first === other.first ? all : leaves;
      return claims(one).flatMap((a) => claims(other).map((b): [Claim, Claim] => [a, b]));
    });
    return [...twice, ...others];
  });
}

/** Overlapping claims, each pair once: reported at their common bus, if they have one, not at a bridge before it. */
function conflicts(addresses: Addresses): AddressConflict[] {
  const { parts } = addresses;
  const seen = new Set<string>();
  const isBus = (at: number) =>
    parts[at]?.type.addresses?.some(({ at: from, to }) => from.port === to?.port) ?? false;
  const places = parts.map((_, at) => at);
  return [...places.filter(isBus), ...places.filter((at) => !isBus(at))].flatMap((at) =>
    competing(addresses, at).flatMap(([a, b]): AddressConflict[] => {
      const key = [a, b]
        .map(({ part, spec }) => `${part} ${spec.region}`)
        .toSorted()
        .join();
      if (!overlap(a, b) || seen.has(key)) return [];
      seen.add(key);
      const [one, other] = [a, b].map(
        (claim) => `${claim.spec.region} of ${addresses.nameOf(claim.part)} at ${rangeOf(claim)}`,
      );
      const message = `Two parts claim the same addresses on ${addresses.nameOf(at)}: ${one}, and ${other}. They must not overlap.`;
      return [{ owned: [...ownedBy(parts, b), ...ownedBy(parts, a)], part: b.part, message }];
    }),
  );
}

/** The claim at the address given by a service's parameter, as each of its processors sees it. */
interface Reached {
  readonly part: number;
  readonly spec: DrivenRegisters;
  readonly processor: number;
  readonly address: bigint;
  readonly seen: readonly Claim[];
  readonly found: Claim | undefined;
}

/** Whether a manifest entry applies to a part with these parameters. */
export const applies = (
  { params, type }: Addressed,
  { when = {} }: Pick<DrivenRegisters, 'when'>,
) =>
  Object.entries(when).every(([name, member]) => {
    const param = params.find(({ spec }) => spec.name === name);
    const kind = type.params.find((one) => one.name === name)?.type ?? '';
    return type.enums[kind]?.[Number(param?.value)]?.name === member;
  });

const reachedCache = new WeakMap<Addresses, readonly Reached[]>();

/** The claims that all services reach. */
export function reached(addresses: Addresses): readonly Reached[] {
  const claims = reachedCache.get(addresses) ?? computeReached(addresses);
  reachedCache.set(addresses, claims);
  return claims;
}

function computeReached(addresses: Addresses): Reached[] {
  return addresses.parts.flatMap((owner, part) =>
    (owner.type.drives ?? [])
      .filter((spec) => applies(owner, spec))
      .flatMap((spec) => {
        const address = owner.params.find((one) => one.spec.name === spec.param)?.value ?? 0n;
        return [...new Set(addresses.processorsOf(part))].map((processor): Reached => {
          const seen = addresses.seenBy(processor);
          const found = seen.find(({ from, end }) => address >= from && address < end);
          return { part, spec, processor, address, seen, found };
        });
      }),
  );
}

/** The `what` of claims that are command registers. */
const REGISTERS = 'registers';

function otherClaims(
  parts: readonly Addressed[],
  { part, spec, from }: Claim,
  { type }: DrivenRegisters,
) {
  const owner = parts[part];
  const what = `${spec.region} of ${quote(owner?.name ?? '')} (${owner?.type.title})`;
  return owner?.type.name === type
    ? `${what} are, which begin at ${addressText(from)}`
    : `${what} are, and not a ${ENGINE_PARTS.types.get(type)?.title}`;
}

function noAnswer(addresses: Addresses, processor: number, address: bigint) {
  const last = addresses.lastBefore(processor, address);
  return last === undefined
    ? 'no part answers'
    : `no part answers behind ${addresses.nameOf(last)}`;
}

/** Register addresses at which no part, or a part of the wrong type, answers. */
function misdirectedRegisters(addresses: Addresses): AddressConflict[] {
  const reported = new Set<string>();
  return reached(addresses).flatMap(({ part, spec, processor, address, seen, found }) => {
    const { parts } = addresses;
    const key = `${part} ${spec.param}`;
    const isIts =
      found?.from === address &&
      found.spec.region === REGISTERS &&
      parts[found.part]?.type.name === spec.type;
    if (isIts || reported.has(key)) return [];
    reported.add(key);
    const own = parts[part]?.params.find((one) => one.spec.name === spec.param);
    const title = quote(own?.spec.title ?? '');
    const answers = found
      ? otherClaims(parts, found, spec)
      : noAnswer(addresses, processor, address);
    const reaches = seen.map(
      (claim) =>
        `${claim.spec.region} of ${addresses.nameOf(claim.part)} at ${addressText(claim.from)}`,
    );
    const all = reaches.length > 0 ? reaches.join(', ') : 'no device at all';
    const message = `${title} of ${addresses.nameOf(part)} is ${addressText(address)}, where ${answers}. ${addresses.nameOf(processor)} reaches ${all}.`;
    return [
      { owned: [[part, spec.param], ...(found ? ownedBy(parts, found) : [])], part, message },
    ];
  });
}

/** All address errors of a machine. */
export const addressConflicts = (addresses: Addresses): AddressConflict[] => [
  ...conflicts(addresses),
  ...misdirectedRegisters(addresses),
];
