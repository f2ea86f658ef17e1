/** `busyard strength`: how far predictions move when a constant moves by a fifth. */
import { createLocalEngine } from '../engine/inprocess';
import { listScenarios } from '../model/scenarios';
import { type ScenarioStrength, strengthOf } from '../model/strength';
import { strengthJson, strengthPlain } from '../model/strengthText';
import { parseFiles } from './arguments';
import { readInput } from './input';
import { progress, remark, write } from './output';

export async function strength(args: readonly string[]): Promise<number> {
  const options = {
    json: { type: 'boolean' },
    constant: { type: 'string', multiple: true },
  } as const;
  const { values, files } = parseFiles('strength', args, options);
  const wanted = files.length > 0 ? files : listScenarios().map((entry) => entry.id);
  const engine = await createLocalEngine();
  const found: ScenarioStrength[] = [];
  for (const file of wanted) {
    const { scenario } = await readInput(file);
    const only = values.constant;
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
