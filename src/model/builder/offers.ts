/** Offers to wire a socket for which parts are missing: new parts together with their wires. */
import type { PartType } from '../../engine/manifest';
import { ENGINE_PARTS } from '../scenario/catalogue';
import { addPart, addWire, emptyFile, type Socket } from './build-file';
import type { BuildFile } from './build-types';
import {
  draftOf,
  partIn,
  peerOf,
  pendingFor,
  possibleFor,
  type SocketPair,
  socketText,
  takersOf,
} from './draft';

/** Parts and wires that are added together. */
export interface Offer {
  readonly file: BuildFile;
  /** Type titles and names of the new parts. */
  readonly parts: readonly { readonly title: string; readonly name: string }[];
  readonly wires: readonly (readonly [string, string])[];
}

/** Offers with more new parts than this are not useful. */
const MAX_PARTS = 3;
const MAX_OFFERS = 3;

const isPart = ({ layer, ports }: PartType): boolean => layer !== 'verify' && ports.length > 0;

function withWires(offer: Offer, pairs: readonly SocketPair[]): Offer {
  let { file } = offer;
  const wires = [...offer.wires];
  for (const pair of pairs) {
    const [from = '', to = ''] = pair.map((socket) => socketText(draftOf(file), socket));
    file = addWire(file, from, to);
    wires.push([from, to]);
  }
  return { ...offer, file, wires };
}

/** The free required sockets of a part. */
function openPlaces(file: BuildFile, name: string): Socket[] {
  const draft = draftOf(file);
  return (partIn(draft, name)?.type.ports ?? [])
    .filter(({ required }) => required)
    .map((port): Socket => ({ part: name, port: port.name, index: 0 }))
    .filter((socket) => !peerOf(draft, socket));
}

/** Wires a socket to an existing part. */
function direct(offer: Offer, socket: Socket): Offer | null {
  const [choice] = possibleFor(draftOf(offer.file), socket);
  return choice ? withWires(offer, [[socket, choice.to], ...choice.also]) : null;
}

/** Fewer new parts first, then fewer open sockets. */
function byParts(a: Offer, b: Offer): number {
  return a.parts.length - b.parts.length || b.wires.length - a.wires.length;
}

/** Generators that yield every few milliseconds, so that other work can run. */
type Steps<T> = Generator<undefined, T>;

/** Wires a socket through a new part, whose own required sockets are wired as well. */
function* through(offer: Offer, socket: Socket, type: PartType, left: number): Steps<Offer | null> {
  yield;
  const { file, name } = addPart(offer.file, type);
  const parts = [...offer.parts, { title: type.title, name }];
  const choice = possibleFor(draftOf(file), socket).find(({ to }) => to.part === name);
  if (!choice) return null;
  let now: Offer | null = withWires({ ...offer, file, parts }, [
    [socket, choice.to],
    ...choice.also,
  ]);
  for (let [open] = openPlaces(now.file, name); open && now; [open] = openPlaces(now.file, name)) {
    now = direct(now, open) ?? (yield* throughParts(now, open, left - 1))[0] ?? null;
    if (!now) return null;
  }
  return now;
}

function* throughParts(offer: Offer, socket: Socket, left: number): Steps<Offer[]> {
  if (left <= 0) return [];
  const own = partIn(draftOf(offer.file), socket.part)?.type.ports.find(
    ({ name }) => name === socket.port,
  );
  const types = [...ENGINE_PARTS.types.values()].filter(
    (type) =>
      isPart(type) &&
      type.ports.some(({ protocol, role }) => protocol === own?.protocol && role !== own.role),
  );
  const found: Offer[] = [];
  for (const type of types) found.push(...orNone(yield* through(offer, socket, type, left)));
  return found.sort(byParts);
}

const orNone = <T>(one: T | null): T[] => (one === null ? [] : [one]);

/** Wires a socket to an existing part after wiring one of the required sockets of both through new parts. */
function* afterOthers(offer: Offer, socket: Socket): Steps<Offer[]> {
  const draft = draftOf(offer.file);
  const found: Offer[] = [];
  for (const to of pendingFor(draft, socket)) {
    const open = [socket.part, to.part]
      .flatMap((name) =>
        (partIn(draft, name)?.type.ports ?? [])
          .filter(({ role }) => role === 'client')
          .map((port): Socket => ({ part: name, port: port.name, index: 0 })),
      )
      .filter((one) => !peerOf(draft, one))
      .filter((one) => one.part !== socket.part || one.port !== socket.port);
    for (const one of open)
      for (const now of yield* throughParts(offer, one, MAX_PARTS - 1)) {
        yield;
        const choices = possibleFor(draftOf(now.file), socket);
        const choice = choices.find((other) => other.to.part === to.part);
        if (choice) found.push(withWires(now, [[socket, choice.to], ...choice.also]));
      }
  }
  return found;
}

/** The same as `offersFor`, in steps. */
export function* offerSteps(file: BuildFile, socket: Socket): Steps<Offer[]> {
  const none: Offer = { file, parts: [], wires: [] };
  const now = direct(none, socket);
  if (now) return [now];
  const others = yield* afterOthers(none, socket);
  return [...others, ...(yield* throughParts(none, socket, MAX_PARTS))]
    .sort(byParts)
    .slice(0, MAX_OFFERS);
}

/** Offers for a socket: wires to existing parts, otherwise with new parts, fewest first. */
export function offersFor(file: BuildFile, socket: Socket): Offer[] {
  const steps = offerSteps(file, socket);
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value;
}

/** Description of an offer. */
export function offerText({ parts, wires }: Offer): string {
  const joined = wires.map((ends) => ends.join(' to ')).join(', ');
  if (parts.length === 0) return `Wire ${joined}`;
  return `Add ${parts.map(({ title }) => title).join(' and ')}: ${joined}`;
}

const processor = () => ENGINE_PARTS.types.get('processor');

/** The sockets that a processor needs in addition to a cache that fetches lines through it. */
function fetchedThrough(type: PartType): string[] {
  const cpu = processor();
  const port = type.ports.find(({ protocol, needs }) => protocol === 'cache' && needs.length > 0);
  if (!cpu || !port) return [];
  const { file, name } = addPart(addPart(emptyFile(), cpu).file, type);
  const offers = offersFor(file, { part: name, port: port.name, index: 0 });
  const titles = new Set(offers.map(({ parts }) => parts[0]?.title ?? ''));
  return titles.size > 0 ? [[...titles].join(' or ')] : [];
}

/** For each required port, the titles of part types that it can be wired to: which cache fits which bus. */
export function goesWith(type: PartType): string[] {
  const clients = type.ports.filter(({ required, role }) => required && role === 'client');
  const own = clients.flatMap((port) => {
    const { file, name } = addPart(emptyFile(), type);
    const titles = takersOf(draftOf(file), { part: name, port: port.name, index: 0 });
    return titles.length > 0 ? [titles.join(' or ')] : [];
  });
  return [...own, ...fetchedThrough(type)];
}
