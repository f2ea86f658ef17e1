/** `busyard strength`: how far predictions move when a constant moves by a fifth. */
import { createLocalEngine } from '../engine/inprocess';
import { constantNames, type ScenarioStrength, strengthOf } from '../model/report/strength';
import { strengthJson, strengthPlain } from '../model/report/strength-text';
import type { Scenario } from '../model/scenario/scenario-types';
import { listScenarios } from '../model/scenario/scenarios';
import { hint, quote } from '../model/scenario/suggest';
import { parseFiles } from './arguments';
import { readInput } from './input';
import { progress, remark, write } from './output';
import { Refusal } from './refusal';

function checkConstant(name: string, scenarios: readonly Scenario[]): void {
  const known = [...new Set(scenarios.flatMap(constantNames))].sort();
  if (known.includes(name)) return;
  const help = hint(name, known, known.length);
  throw new Refusal(`--constant: There is no constant ${quote(name)}${help}`);
}

export async function strength(args: readonly string[]): Promise<number> {
  const options = {
    json: { type: 'boolean' },
    constant: { type: 'string', multiple: true },
  } as const;
  const { values, files } = parseFiles('strength', args, options);
  const wanted = files.length > 0 ? files : listScenarios().map((entry) => entry.id);
  const scenarios: Scenario[] = [];
  for (const file of wanted) scenarios.push((await readInput(file)).scenario);
  const only = values.constant;
  for (const name of only ?? []) checkConstant(name, scenarios);
  const engine = await createLocalEngine();
  const found: ScenarioStrength[] = [];
  for (const scenario of scenarios) {
    const one = await strengthOf(engine, scenario, {
      ...(only ? { only } : {}),
      onProgress: progress(scenario.id),
    });
    if (one) found.push(one);
    else if (files.length > 0) remark(`${scenario.id}: it predicts nothing.`);
  }
  engine.dispose();
  await write([values.json ? strengthJson(found) : strengthPlain(found)]);
  return 0;
}
