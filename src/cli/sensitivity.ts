/** `busyard strength`: prints how far predictions move when a constant moves by a fifth. */

import { hint, quote } from '../base/suggest';
import { createLocalEngine } from '../engine/inprocess';
import {
  constantNames,
  type ScenarioSensitivity,
  sensitivityOfScenario,
} from '../model/report/sensitivity';
import { sensitivityJson, sensitivityText } from '../model/report/sensitivity-text';
import type { Scenario } from '../model/scenario/scenario-types';
import { listScenarios } from '../model/scenario/scenarios';
import { command, JSON_OPTION } from './arguments';
import { readInput } from './input';
import { progress, warn, write } from './output';
import { Refusal } from './refusal';

function checkConstant(name: string, scenarios: readonly Scenario[]): void {
  const known = [...new Set(scenarios.flatMap(constantNames))].sort();
  if (known.includes(name)) return;
  const help = hint(name, known, known.length);
  throw new Refusal(`--constant: There is no constant ${quote(name)}${help}`);
}

const SPEC = {
  name: 'strength',
  summary:
    'Moves each constant by a fifth and prints how far predictions move, compared with a plain formula.',
  takes: ['[FILES...]', 'scenarios; default: all that are included'],
  options: {
    json: JSON_OPTION,
    constant: { value: 'part.param', many: true, help: 'only this constant' },
  },
} as const;

export const strength = command(SPEC, async (values, files) => {
  const paths = files.length > 0 ? files : listScenarios().map((entry) => entry.id);
  const scenarios: Scenario[] = [];
  for (const file of paths) scenarios.push((await readInput(file)).scenario);
  const only = values.constant;
  for (const name of only ?? []) checkConstant(name, scenarios);
  const engine = await createLocalEngine();
  const found: ScenarioSensitivity[] = [];
  for (const scenario of scenarios) {
    const one = await sensitivityOfScenario(engine, scenario, {
      ...(only ? { only } : {}),
      onProgress: progress(scenario.id),
    });
    if (one) found.push(one);
    else if (files.length > 0) warn(`${scenario.id}: it has no predictions.`);
  }
  engine.dispose();
  await write([values.json ? sensitivityJson(found) : sensitivityText(found)]);
  return 0;
});
