/** Programs of a session that replace the scenario's own, such as the steps of a sandbox. */

import { hint, quote } from '../../base/suggest';
import { readJson } from './json-text';
import { gather, type Result, success } from './problems';
import type { Programs } from './scenario-types';
import { type Scenario, Where } from './scenario-types';

/** The scenario with other programs; without any, the scenario as it was opened. */
export function withPrograms(scenario: Scenario, changed: Programs | undefined): Result<Scenario> {
  if (!changed) return success(scenario);
  const json = readJson(JSON.stringify({ programs: changed }));
  if (!json.ok) return json;
  const { programs } = scenario;
  return gather((report) => {
    const all = new Map(programs);
    for (const [name, rows] of Object.entries(changed)) {
      const where = new Where(json.value, ['programs', name]);
      const unknown = `There is no program ${quote(name)}${hint(name, programs.keys())}`;
      if (!programs.has(name)) report(where.problem(unknown, true));
      const taken = rows.map((fields, i) => ({ fields, where: where.at(i) }));
      all.set(name, taken);
    }
    return { ...scenario, programs: all };
  });
}
