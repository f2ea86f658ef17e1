/** Rows of programs that have a card move what does not lie in it. */

import { quote } from '../../base/suggest';
import { type Addressed, type Addresses, reached } from './address-map';
import { programTable } from './catalogue';
import type { Problem } from './problems';
import type { EncodedRow } from './program';
import { toText } from './values';

export interface Programmed extends Addressed {
  readonly tables: readonly (readonly EncodedRow[])[];
}

const hex = (value: bigint) => toText(value, 'address', {});

/** The rows of a processor's programs, with what they do and their fields by name. */
export function rowsOf({ type, tables }: Programmed) {
  const table = programTable(type);
  const names = table?.fields.map(({ name }) => name) ?? [];
  const operations = type.enums[table?.fields[names.indexOf('do')]?.type ?? ''] ?? [];
  return (tables[table ? type.tables.indexOf(table) : -1] ?? []).map(({ values, where }) => {
    const field = (name: string) => values[names.indexOf(name)] ?? 0n;
    return { operation: operations[Number(field('do'))]?.name ?? '', field, where };
  });
}

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
      .filter((claim) => claim.spec.what !== found.spec.what);
    return rowsOf(owner).flatMap(({ operation, field, where }) => {
      const name = spec.rows[operation];
      if (!name || !service || addresses.carrierOf(service.part, operation) !== part) return [];
      const [from, bytes] = [field(name), field('bytes')];
      if (memory.some((claim) => from >= claim.from && from + bytes <= claim.end)) return [];
      const all = memory.map((claim) => `${hex(claim.from)} to ${hex(claim.end - 1n)}`).join(', ');
      const what = bytes > 0n ? `${toText(bytes, 'bytes', {})} at ${hex(from)}` : hex(from);
      const message = `${quote(operation)}: ${what} ${bytes > 0n ? 'do' : 'does'} not lie in the memory of ${addresses.nameOf(found.part)}, which is ${all}.`;
      return [where.at(name).problem(message)];
    });
  });
}
