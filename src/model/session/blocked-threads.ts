/** Threads that wait where nothing is under way any more that could wake them: the end of a run that is no end. */
import type { Engine } from '../../engine/api';
import { lint } from '../lint/lint';
import { Addresses } from '../scenario/address-map';
import type { CompiledMachine, CompiledPart } from '../scenario/compile';
import { addressText, toText } from '../scenario/values';

/** Statuses of a processor's thread that cannot go on by itself. */
const WAITING = ['blocked', 'waits'];

export interface BlockedThread {
  readonly part: number;
  readonly thread: number;
  /** "waiting for a semaphore, in row 2 (wait, tag 3)". */
  readonly what: string;
}

/** An address by what answers there for a processor: "registers of Disk + 0x8"; memory where no device does. */
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

/** A row of a program as its operation and what it says besides: "wait, tag 3". */
function rowText(machine: CompiledMachine, part: CompiledPart, row: number): string {
  const { type, tables } = part;
  const table = type.tables.findIndex(({ name }) => name === 'program');
  const fields = type.tables[table]?.fields ?? [];
  const values = tables[table]?.[row]?.values ?? [];
  const said = fields.flatMap(({ name, type: kind, default: usual }, i) => {
    const value = values[i] ?? BigInt(usual);
    if (name === 'do') return [type.enums[kind]?.[Number(value)]?.title ?? ''];
    if (value === BigInt(usual)) return [];
    const text = kind === 'address' ? roleText(machine, part, value) : toText(value, kind, {});
    return [`${name.replaceAll('_', ' ')} ${text}`];
  });
  return said.join(', ');
}

/** At the end of a run whose engine has nothing left to do. */
export async function blockedThreads(
  engine: Pick<Engine, 'frame' | 'release'>,
  machine: CompiledMachine,
): Promise<BlockedThread[]> {
  const looks = machine.parts.flatMap((own, part) => {
    const view = own.type.views.findIndex(({ name }) => name === 'threads');
    const fields = own.type.views[view]?.fields ?? [];
    const column = (wanted: string) => fields.findIndex(({ name }) => name === wanted);
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

/** A sentence for each of them, and what in the machine keeps them waiting. */
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
