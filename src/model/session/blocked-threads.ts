/** Threads that are blocked while no event is pending: the run ended in a deadlock. */
import type { Engine } from '../../engine/api';
import { lint } from '../lint/lint';
import { Addresses } from '../scenario/address-map';
import type { CompiledMachine, CompiledPart } from '../scenario/compiled';
import { addressText, toText } from '../scenario/values';

/** Thread states that need another event to continue. */
const WAITING = ['blocked', 'waits'];

export interface BlockedThread {
  readonly part: number;
  readonly thread: number;
  /** "waiting for a semaphore, in row 2 (wait, tag 3)". */
  readonly what: string;
}

/** What a processor addresses: "registers of Disk + 0x8", otherwise memory. */
function roleText({ parts, wires }: CompiledMachine, cpu: CompiledPart, address: bigint): string {
  const claim = new Addresses(parts, wires)
    .seenBy(cpu.index)
    .find(({ from, end }) => address >= from && address < end);
  const text = addressText(address);
  if (!claim) return `address ${text}`;
  const offset = address - claim.from;
  const pastDecision = offset === 0n ? '' : ` + ${addressText(offset)}`;
  return `${claim.spec.region} of ${parts[claim.part]?.title}${pastDecision}`;
}

/** A row of a program as its operation and fields: "wait, tag 3". */
function rowText(machine: CompiledMachine, part: CompiledPart, row: number): string {
  const { type, tables } = part;
  const table = type.tables.findIndex(({ name }) => name === 'program');
  const fields = type.tables[table]?.fields ?? [];
  const values = tables[table]?.[row]?.values ?? [];
  const texts = fields.flatMap(({ name, type: kind, default: usual }, i) => {
    const value = values[i] ?? BigInt(usual);
    if (name === 'do') return [type.enums[kind]?.[Number(value)]?.title ?? ''];
    if (value === BigInt(usual)) return [];
    const text = kind === 'address' ? roleText(machine, part, value) : toText(value, kind, {});
    return [`${name.replaceAll('_', ' ')} ${text}`];
  });
  return texts.join(', ');
}

/** The blocked threads at the end of a run. */
export async function blockedThreads(
  engine: Pick<Engine, 'frame' | 'release'>,
  machine: CompiledMachine,
): Promise<BlockedThread[]> {
  const looks = machine.parts.flatMap((own, part) => {
    const view = own.type.views.findIndex(({ name }) => name === 'threads');
    const fields = own.type.views[view]?.fields ?? [];
    const column = (title: string) => fields.findIndex(({ name }) => name === title);
    const [status, row] = [column('status'), column('row')];
    return status < 0 || row < 0 ? [] : [{ own, part, view, status, row }];
  });
  if (looks.length === 0) return [];
  const frame = await engine.frame({ views: looks.map(({ part, view }) => ({ part, view })) });
  const found = looks.flatMap(({ own, part, status, row }, i) => {
    const columns = frame.views[i]?.columns ?? [];
    return Array.from(columns[status] ?? []).flatMap((value, thread) => {
      const member = own.type.enums.thread?.[value];
      if (!member || !WAITING.includes(member.name)) return [];
      const at = columns[row]?.[thread] ?? 0;
      return [
        { part, thread, what: `${member.title}, in row ${at + 1} (${rowText(machine, own, at)})` },
      ];
    });
  });
  engine.release(frame);
  return found;
}

/** One sentence per blocked thread, with the cause of the block if it is known. */
export function blockedThreadTexts(
  machine: CompiledMachine,
  waiting: readonly BlockedThread[],
): readonly string[] {
  if (waiting.length === 0) return [];
  const threads = waiting.map(
    ({ part, thread, what }) => `${machine.parts[part]?.title}, thread ${thread}: ${what}.`,
  );
  return [...threads, ...lint(machine).map(({ message }) => message)];
}
