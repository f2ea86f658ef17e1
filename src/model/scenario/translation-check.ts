/**
 * Checks that mapped addresses are translated: the table that a service fills is the one that a unit reads, memory
 * holds all of it, and some device's requests pass through the unit. Otherwise entries would be lost, or devices
 * would use mapped addresses as memory addresses. Also checks that card transfers in programs stay within the
 * card's memory.
 */
import { quote } from '../../base/suggest';
import type { TranslationTable } from '../../engine/manifest';
import {
  type AddressConflict,
  type Addressed,
  type Addresses,
  applies,
  type Owned,
  reached,
} from './address-map';
import { programTable } from './catalogue';
import type { EncodedRow } from './encode';
import type { Problem } from './problems';
import { addressText, toText } from './values';

const ENTRY_BYTES = 8n;
const FRAME = 4096n;

/** Services whose table parameters differ from those of the unit that they command. */
function differing(addresses: Addresses): AddressConflict[] {
  const { parts } = addresses;
  const reported = new Set<string>();
  return reached(addresses).flatMap(({ part, spec, found }) =>
    spec.same.flatMap((name): AddressConflict[] => {
      if (!found || reported.has(`${part} ${name}`)) return [];
      reported.add(`${part} ${name}`);
      const [own, other] = [part, found.part].map((at) => addresses.param(at, name));
      if (!own || !other || own.value === other.value) return [];
      const [a, b] = [part, found.part].map((at) => {
        const param = addresses.param(at, name);
        const text = toText(
          param?.value ?? 0n,
          parts[at]?.type.params.find((one) => one.name === name)?.type ?? 'count',
          {},
        );
        return `${quote(param?.spec.title ?? name)} of ${addresses.nameOf(at)} is ${text}`;
      });
      const message = `${addresses.nameOf(part)} fills the table that ${addresses.nameOf(found.part)} reads, and they must agree about it: ${a}, ${b}.`;
      return [
        {
          owned: [
            [part, name],
            [found.part, name],
          ],
          part,
          message,
        },
      ];
    }),
  );
}

/** Size of a table in bytes; null if it is not declared. */
function bytesOf(addresses: Addresses, part: number, table: TranslationTable): bigint | null {
  const numberAt = (at: number, name = '') => addresses.param(at, name)?.value;
  if (table.bits) return ENTRY_BYTES << (numberAt(part, table.bits) ?? 0n);
  const [[, service] = []] = addresses.peersAt(part, table.entries?.at ?? '');
  const entries = service && numberAt(service.part, table.entries?.param);
  if (entries === undefined) return null;
  const bytes = entries * ENTRY_BYTES;
  if (numberAt(part, table.levels) !== 2n) return bytes;
  const upper = ((entries + 511n) / 512n) * ENTRY_BYTES;
  return bytes + ((upper + FRAME - 1n) / FRAME) * FRAME;
}

/** Tables that memory does not hold completely. Exploration is excluded: it maps a few pages to keep states small. */
function beyondMemory(addresses: Addresses): AddressConflict[] {
  const { parts } = addresses;
  if (parts.some(({ type }) => type.layer === 'verify')) return [];
  return parts.flatMap((unit, part) => {
    const { table } = unit.type;
    if (!table || !applies(unit, table)) return [];
    const [from, bytes] = [addresses.param(part, table.from), bytesOf(addresses, part, table)];
    const buses = addresses.peersAt(part, table.at).map(([, peer]) => peer.part);
    const memories = buses.flatMap((bus) =>
      (parts[bus]?.type.ports ?? [])
        .flatMap(({ name }) => addresses.peersAt(bus, name))
        .map(([, peer]) => peer.part)
        .filter((at) => parts[at]?.type.values),
    );
    return memories.flatMap((at): AddressConflict[] => {
      const { values } = parts[at]?.type ?? {};
      const [first, length] = [values?.from, values?.bytes].map((name = '') =>
        addresses.param(at, name),
      );
      if (!from || bytes === null || !first || !length) return [];
      if (from.value >= first.value && from.value + bytes <= first.value + length.value) return [];
      const [needs, holds] = [bytes, length.value].map((value) => toText(value, 'bytes', {}));
      const own = quote(from.spec.title);
      const message = `${own} of ${addresses.nameOf(part)} takes ${needs} from ${addressText(from.value)} on, and ${addresses.nameOf(at)} holds values of ${holds} from ${addressText(first.value)} on (${quote(first.spec.title)}, ${quote(length.spec.title)}): entries elsewhere would be lost.`;
      const [[, service] = []] = addresses.peersAt(part, table.entries?.at ?? '');
      const owned: Owned[] = [
        ...(service && table.entries ? [[service.part, table.entries.param] as const] : []),
        [part, table.from],
        ...(table.bits ? [[part, table.bits] as const] : []),
        [at, first.spec.name],
        [at, length.spec.name],
      ];
      return [{ owned, part, message }];
    });
  });
}

/** Drivers that map for devices whose requests are not translated. */
function untranslated(addresses: Addresses): AddressConflict[] {
  const { parts } = addresses;
  return parts.flatMap((driver, part) => {
    const port = driver.type.ports.find(({ calls }) => calls?.includes('map'));
    const [[, peer] = []] = addresses.peersAt(part, port?.name ?? '');
    const service = peer && addresses.carrierOf(peer.part, 'map');
    const { unit: at } = parts[service ?? -1]?.type ?? {};
    if (service === undefined || at === undefined) return [];
    const maps = `${addresses.nameOf(part)} maps for its device through ${addresses.nameOf(service)}`;
    const refuse = (why: string): AddressConflict[] => [
      {
        owned: [],
        part,
        message: `${maps}, and ${why}: the device would use the mapped address as a memory address.`,
      },
    ];
    const [[, unit] = []] = addresses.peersAt(service, at);
    if (!unit)
      return refuse(
        `no unit that translates is wired to ${quote(`${parts[service]?.name}.${at}`)}`,
      );
    const asked = (parts[unit.part]?.type.ports ?? []).some(
      ({ name, role, first, count }) =>
        role === 'server' &&
        !(unit.slot >= first && unit.slot < first + count) &&
        addresses.peersAt(unit.part, name).length > 0,
    );
    return asked
      ? []
      : refuse(`no device is wired to ${addresses.nameOf(unit.part)}, and no bridge`);
  });
}

export const translationConflicts = (addresses: Addresses): AddressConflict[] => [
  ...differing(addresses),
  ...beyondMemory(addresses),
  ...untranslated(addresses),
];

export interface Programmed extends Addressed {
  readonly tables: readonly (readonly EncodedRow[])[];
}

/** The rows of a processor's programs, with their operation and fields by name. */
export function rowsOf({ type, tables }: Programmed) {
  const table = programTable(type);
  const names = table?.fields.map(({ name }) => name) ?? [];
  const operations = type.enums[table?.fields[names.indexOf('do')]?.type ?? ''] ?? [];
  return (tables[table ? type.tables.indexOf(table) : -1] ?? []).map(({ values, where }) => {
    const field = (name: string) => values[names.indexOf(name)] ?? 0n;
    return { operation: operations[Number(field('do'))]?.name ?? '', field, where };
  });
}

/** Transfers in programs that exceed the card's memory. */
export function transfersOutsideCards(
  addresses: Addresses,
  parts: readonly Programmed[],
): Problem[] {
  return reached(addresses).flatMap(({ part, spec, processor, found }) => {
    const owner = parts[processor];
    if (!owner || !found || Object.keys(spec.rows).length === 0) return [];
    const os = owner.type.ports.find(
      ({ protocol, role }) => protocol === 'os' && role === 'client',
    );
    const [[, service] = []] = addresses.peersAt(processor, os?.name ?? '');
    const memory = addresses
      .ownClaims(found.part)
      .filter((claim) => claim.spec.region !== found.spec.region);
    return rowsOf(owner).flatMap(({ operation, field, where }) => {
      const name = spec.rows[operation];
      if (!name || !service || addresses.carrierOf(service.part, operation) !== part) return [];
      const [from, bytes] = [field(name), field('bytes')];
      if (memory.some((claim) => from >= claim.from && from + bytes <= claim.end)) return [];
      const all = memory
        .map((claim) => `${addressText(claim.from)} to ${addressText(claim.end - 1n)}`)
        .join(', ');
      const what =
        bytes > 0n ? `${toText(bytes, 'bytes', {})} at ${addressText(from)}` : addressText(from);
      const message = `${quote(operation)}: ${what} ${bytes > 0n ? 'do' : 'does'} not lie in the memory of ${addresses.nameOf(found.part)}, which is ${all}.`;
      return [where.at(name).problem(message)];
    });
  });
}
