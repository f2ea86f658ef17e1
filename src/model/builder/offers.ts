/** Offers to wire a socket for which parts are missing: new parts together with their wires. */
import { runToCompletion, type Steps } from '../../base/tasks';
import type { PartName } from '../../engine/gen/names';
import type { PartType } from '../../engine/manifest';
import { ENGINE_PARTS } from '../scenario/catalogue';
import { addPart, addWire, emptyFile, type Socket } from './build-file';
import type { BuildFile } from './build-types';
import {
  type Draft,
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

/** Offers with more new parts are tried only if there is none with these: a disk needs a bus, adapter and memory. */
const MAX_PARTS = 3;
const MORE_PARTS = 5;
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

/** New services that no processor can call, although others are called by them. */
const uncalled = (draft: Draft, { parts }: Offer): number =>
  parts.filter(({ name }) => {
    const port = partIn(draft, name)?.type.ports.find(
      ({ protocol, role }) => protocol === 'os' && role === 'server',
    );
    return port && !peerOf(draft, { part: name, port: port.name, index: 0 });
  }).length;

/** New parts of a type that another part has: two engines that offload to each other reach no network. */
const repeated = (draft: Draft, { parts }: Offer): number =>
  parts.filter(({ name }) =>
    draft.parts.some((one) => one.name !== name && one.type === partIn(draft, name)?.type),
  ).length;

/** Those without uncalled services and repeated types first, then fewer new parts, then fewer open sockets. */
function ranked(offers: readonly Offer[]): Offer[] {
  const all = offers.map((offer) => {
    const draft = draftOf(offer.file);
    const { parts, wires } = offer;
    return {
      offer,
      rank: [uncalled(draft, offer), repeated(draft, offer), parts.length, -wires.length],
    };
  });
  const differs = (a: readonly number[], b: readonly number[]): number =>
    a.map((one, i) => one - (b[i] ?? 0)).find((difference) => difference !== 0) ?? 0;
  return all.sort((a, b) => differs(a.rank, b.rank)).map(({ offer }) => offer);
}

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
  return ranked(found);
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
  const found = [...others, ...(yield* throughParts(none, socket, MAX_PARTS))];
  const all = found.length > 0 ? found : yield* throughParts(none, socket, MORE_PARTS);
  return ranked(all).slice(0, MAX_OFFERS);
}

/** Offers for a socket: wires to existing parts, otherwise with new parts, fewest first. */
export const offersFor = (file: BuildFile, socket: Socket): Offer[] =>
  runToCompletion(offerSteps(file, socket));

/** The services whose operations drive a device. */
const DRIVERS: readonly (readonly [device: PartName, service: PartName])[] = [
  ['dma_device', 'io_services'],
  ['gt', 'gt_driver'],
];

/** Offers of services for devices whose programs have none, wired to a processor. */
export function* serviceSteps(file: BuildFile): Steps<Offer[]> {
  const types = new Set<string>(draftOf(file).parts.map(({ type }) => type.name));
  const found: Offer[] = [];
  for (const [device, driver] of DRIVERS) {
    const type = ENGINE_PARTS.types.get(driver);
    const port = type?.ports.find(({ protocol, role }) => protocol === 'os' && role === 'server');
    if (!type || !port || !types.has(device) || types.has(driver)) continue;
    const added = addPart(file, type);
    const socket = { part: added.name, port: port.name, index: 0 };
    const [offer] = yield* offerSteps(added.file, socket);
    if (!offer || uncalled(draftOf(offer.file), offer) > 0) continue;
    found.push({ ...offer, parts: [{ title: type.title, name: added.name }, ...offer.parts] });
  }
  return found;
}

/** Description of an offer. */
export function offerText({ parts, wires }: Offer): string {
  const joined = wires.map((ends) => ends.join(' to ')).join(', ');
  if (parts.length === 0) return `Wire ${joined}`;
  return `Add ${parts.map(({ title }) => title).join(' and ')}: ${joined}`;
}

const processor = () => ENGINE_PARTS.types.get('processor');

/** The sockets that a processor needs in addition to a cache that fetches lines through it. */
function* fetchedThrough(type: PartType): Steps<string[]> {
  const cpu = processor();
  const port = type.ports.find(({ protocol, needs }) => protocol === 'cache' && needs.length > 0);
  if (!cpu || !port) return [];
  const { file, name } = addPart(addPart(emptyFile(), cpu).file, type);
  const offers = yield* offerSteps(file, { part: name, port: port.name, index: 0 });
  const titles = new Set(offers.map(({ parts }) => parts[0]?.title ?? ''));
  return titles.size > 0 ? [[...titles].join(' or ')] : [];
}

/** For each required port, the titles of part types that it can be wired to: which cache fits which bus. */
export function* partnerSteps(type: PartType): Steps<string[]> {
  const clients = type.ports.filter(({ required, role }) => required && role === 'client');
  const own: string[] = [];
  for (const port of clients) {
    yield;
    const { file, name } = addPart(emptyFile(), type);
    const titles = takersOf(draftOf(file), { part: name, port: port.name, index: 0 });
    if (titles.length > 0) own.push(titles.join(' or '));
  }
  return [...own, ...(yield* fetchedThrough(type))];
}
