import { expect, test } from 'vitest';
import { createLocalEngine } from '../../engine/inprocess';
import { compile } from '../scenario/compile';
import { loadScenario } from '../scenario/load';
import { readBuilt } from './build-file';
import { draftOf, missing } from './draft';
import { TEMPLATES } from './templates';

test('each template is a whole machine whose text extends no other, and its program ends', async () => {
  expect(TEMPLATES).toHaveLength(5);
  for (const { title, text } of TEMPLATES) {
    const found = await text();
    if (!found.ok) throw new Error(found.problems[0]?.message);
    const file = readBuilt(found.value, 'template.json');
    const scenario = loadScenario(found.value, { file: 'template.json' });
    if (!file.ok || !file.value || !scenario.ok) throw new Error(title);
    expect(missing(draftOf(file.value)), title).toEqual([]);
    const machine = compile(scenario.value);
    if (!machine.ok) throw new Error(machine.problems[0]?.message);
    const engine = await createLocalEngine();
    await engine.open({ config: machine.value.config, commands: [] });
    const { events, reason } = await engine.run({ untilPs: machine.value.untilPs });
    expect(reason, title).toBe('idle');
    expect(events, title).toBeGreaterThan(10);
  }
});
