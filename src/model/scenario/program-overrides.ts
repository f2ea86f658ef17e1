/**
 * Programs of a session that replace the scenario's own, such as the steps of a sandbox. A thread whose rows stand
 * in the workload has no name; it is called by its part and number, "cpu1/0".
 */

import { hint, quote } from '../../base/suggest';
import { readJson } from './json-text';
import { gather, type Result, success } from './problems';
import type { Programs, TableRow, ThreadWork } from './scenario-types';
import { type Scenario, Where } from './scenario-types';

/** The name of a thread whose rows stand in the workload. */
export const threadName = (part: string, thread: number): string => `${part}/${thread}`;

/** All programs: those with a name, and the rows of threads in the workload. */
export function allPrograms(
  scenario: Scenario,
): readonly (readonly [name: string, rows: readonly TableRow[]])[] {
  const inline = [...scenario.workload].flatMap(([part, threads]) =>
    threads.flatMap((work, thread) =>
      'rows' in work
        ? [[threadName(scenario.machine.parts[part]?.name ?? '', thread), work.rows] as const]
        : [],
    ),
  );
  return [...scenario.programs, ...inline];
}

/** The scenario with other programs; without any, the scenario as it was opened. */
export function withPrograms(scenario: Scenario, changed: Programs | undefined): Result<Scenario> {
  if (!changed) return success(scenario);
  const json = readJson(JSON.stringify({ programs: changed }));
  if (!json.ok) return json;
  const known = new Map(allPrograms(scenario));
  return gather((report) => {
    const all = new Map<string, readonly TableRow[]>();
    for (const [name, rows] of Object.entries(changed)) {
      const where = new Where(json.value, ['programs', name]);
      const unknown = `There is no program ${quote(name)}${hint(name, known.keys())}`;
      if (!known.has(name)) report(where.problem(unknown, true));
      const taken = rows.map((fields, i) => ({ fields, where: where.at(i) }));
      all.set(name, taken);
    }
    const programs = new Map(
      [...scenario.programs].map(([name, rows]) => [name, all.get(name) ?? rows]),
    );
    const changedThread = (part: number) => (work: ThreadWork, thread: number) => {
      const rows = all.get(threadName(scenario.machine.parts[part]?.name ?? '', thread));
      return rows && 'rows' in work ? { ...work, rows } : work;
    };
    const workload = new Map(
      [...scenario.workload].map(([part, threads]) => [part, threads.map(changedThread(part))]),
    );
    return { ...scenario, programs, workload };
  });
}
