/** Threads that wait where nothing is under way any more that could wake them: the end of a run that is no end. */
import type { Engine } from '../../engine/api';
import type { TracedMachine } from './trace-text';

/** Statuses of a processor's thread that cannot go on by itself. */
const WAITING = ['blocked', 'waits'];

export interface WaitingThread {
  readonly part: number;
  readonly thread: number;
  /** "waiting for a semaphore, in row 2 (wait, tag 3)". */
  readonly what: string;
}

type Part = TracedMachine['parts'][number];

/** A row of a program as its operation and what it says besides: "wait, tag 3". */
function rowText({ type, tables }: Part, row: number): string {
  const table = type.tables.findIndex(({ name }) => name === 'program');
  const fields = type.tables[table]?.fields ?? [];
  const values = tables?.[table]?.[row]?.values ?? [];
  const said = fields.flatMap(({ name, type: kind, default: usual }, i) => {
    const value = Number(values[i] ?? usual);
    if (name === 'do') return [type.enums[kind]?.[value]?.title ?? ''];
    return value === Number(usual) ? [] : [`${name.replaceAll('_', ' ')} ${value}`];
  });
  return said.join(', ');
}

/** At the end of a run whose engine has nothing left to do. */
export async function waitingThreads(
  engine: Pick<Engine, 'frame' | 'release'>,
  machine: TracedMachine,
): Promise<WaitingThread[]> {
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
      return [{ part, thread, what: `${member.title}, in row ${at + 1} (${rowText(own, at)})` }];
    });
  });
  engine.release(frame);
  return found;
}

/** A sentence for each of them. */
export const waitingTexts = (
  { parts }: TracedMachine,
  waiting: readonly WaitingThread[],
): readonly string[] =>
  waiting.map(({ part, thread, what }) => `${parts[part]?.title}, thread ${thread}: ${what}.`);
