/**
 * Suggested fix: read a device register between its interrupt and its data. The response comes back behind all
 * posted writes in the bridges.
 */
import { Addresses } from '../scenario/address-map';
import type { CompiledMachine, CompiledPart } from '../scenario/compiled';
import { threadName } from '../scenario/program-overrides';
import { substitute, toText } from '../scenario/values';
import type { Fix } from './fixes';
import type { Run } from './rule';

/** An address that a processor reaches through a bridge: a device register, or else the start of a window. */
function addressBehind(
  { parts, wires }: CompiledMachine,
  cpu: CompiledPart,
  bridge: CompiledPart,
): bigint | undefined {
  const addresses = new Addresses(parts, wires);
  const registers = addresses.seenBy(cpu.index).filter(({ spec }) => spec.region !== 'memory');
  const offsets = (bridge.type.addresses ?? []).flatMap(({ from, to }) =>
    to && /^\d+$/.test(from ?? '') ? [BigInt(from ?? 0)] : [],
  );
  const windows = addresses
    .peersAt(cpu.index, 'front')
    .flatMap(([, place]) => addresses.claimsAt(place))
    .flatMap(({ spec, from, end }) => {
      const times = BigInt(spec.times ?? 1);
      const bytes = (end - from) / times;
      return Array.from({ length: Number(times) }, (_, slot) => from + BigInt(slot) * bytes);
    })
    .flatMap((start) => offsets.map((offset) => start + offset));
  return [...registers.map(({ from }) => from), ...windows.toReversed()].find(
    (address) => addresses.lastBefore(cpu.index, address) === bridge.index,
  );
}

/** The programs of an interrupted processor, with a device read after each wait for an interrupt. */
export function readBackFix(
  { data, machine }: Run,
  cpu: CompiledPart,
  bridge: CompiledPart,
): readonly Fix[] {
  const address = addressBehind(machine, cpu, bridge);
  if (!data || address === undefined) return [];
  const programs = (data.workload.get(cpu.index) ?? []).flatMap((work, thread) => {
    const named = 'program' in work && substitute(work.program, machine.variables);
    const name = !named
      ? threadName(cpu.name, thread)
      : String(typeof named === 'string' ? '' : named.value);
    const written = 'rows' in work ? work.rows : data.programs.get(name);
    const rows = written?.map(({ fields }) => fields) ?? [];
    const isLine = ({ do: what, tag = 0 }: (typeof rows)[number]) =>
      what === 'wait' && tag !== 0 && tag !== '0';
    if (!rows.some(isLine)) return [];
    const read = { do: 'io_load', from: toText(address, 'address', {}) };
    return [[name, rows.flatMap((row) => (isLine(row) ? [row, read] : [row]))] as const];
  });
  if (programs.length === 0) return [];
  const title = `Read from the device behind ${bridge.title} before its data`;
  return [{ title, edits: {}, programs: Object.fromEntries(programs) }];
}
