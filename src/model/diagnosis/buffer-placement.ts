/**
 * Places a device's buffers in another row of the I/O TLB: its drivers' programs start with a row that sets the I/O
 * address at which the search for a range begins.
 */
import { address, integer } from '../../base/format';
import type { ParamName } from '../../engine/gen/names';
import type { TlbRole } from '../coherence/coherence-roles';
import { type CompiledMachine, settingOf } from '../scenario/compiled';
import { allPrograms } from '../scenario/program-overrides';
import type { Assignment, Scenario } from '../scenario/scenario-types';
import type { Fix } from './fixes';

const TRANSFERS = new Set(['dma_in', 'dma_out', 'start_dma']);
const SLOTS = 8;

/** Address of a device's first register; null if it has none in the adapter's window. */
function registersOf({ parts }: CompiledMachine, tlb: TlbRole, device: number) {
  const adapter = parts[tlb.part];
  const value = (name: ParamName) =>
    Number(
      adapter?.params[adapter.type.params.findIndex((spec) => spec.name === name)]?.value ??
        Number.NaN,
    );
  const [window, bytes] = [value('window'), value('slot_bytes')];
  const slot = Array.from({ length: SLOTS }, (_, at) => at).find((at) => tlb.device(at) === device);
  return slot === undefined || Number.isNaN(window + bytes)
    ? null
    : { from: window + slot * bytes, to: window + (slot + 1) * bytes };
}

/** Names of the programs that drive only this device. */
function driversOf(
  machine: CompiledMachine,
  tlb: TlbRole,
  device: number,
  data: Scenario,
): string[] {
  const registers = registersOf(machine, tlb, device);
  const finds = machine.parts.some((part) => {
    if (!part.type.executes?.includes('set_attributes')) return false;
    const isWired = machine.wires.some(({ ends }) =>
      ends.some((end) => end.part === part.index && end.port === 'allocator'),
    );
    return settingOf(part, 'allocator') !== 'wired' || !isWired;
  });
  if (!registers || !finds) return [];
  const isIts = ({ to }: Assignment) => Number(to) >= registers.from && Number(to) < registers.to;
  return allPrograms(data).flatMap(([name, rows]) => {
    const fields = rows.map((row) => row.fields);
    const transfers = fields.filter((row) => TRANSFERS.has(String(row.do)));
    const isPlain = fields.every((row) => row.do !== 'thread');
    return isPlain && transfers.length > 0 && transfers.every(isIts) ? [name] : [];
  });
}

export const canPlaceBuffers = (
  machine: CompiledMachine,
  tlb: TlbRole,
  device: number,
  data: Scenario,
): boolean => driversOf(machine, tlb, device, data).length > 0;

/** The run with a device's buffers in the row of a chain; null if its drivers do not support this. */
export function placeBuffers(
  machine: CompiledMachine,
  tlb: TlbRole,
  { device, chain }: { readonly device: number; readonly chain: number },
  data: Scenario,
): Fix | null {
  const names = driversOf(machine, tlb, device, data);
  if (names.length === 0) return null;
  const from = address(chain * 2 ** tlb.chainShift);
  const all = new Map(allPrograms(data));
  const programs = names.map((name) => {
    const rows = (all.get(name) ?? []).map((row) => row.fields);
    const [first = { do: '' }, ...others] = rows;
    const attributes = first.do === 'set_attributes' ? first : { do: 'set_attributes', count: 0 };
    return [name, [{ ...attributes, from }, ...(attributes === first ? others : rows)]] as const;
  });
  const title = `Buffers of ${machine.parts[device]?.title} in chain ${integer(chain)}, from ${from}`;
  return { title, edits: {}, programs: Object.fromEntries(programs) };
}
