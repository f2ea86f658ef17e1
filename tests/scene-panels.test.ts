/** A panel that a step of a lesson opens is one that the page of its scenario has. */
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { allPanels } from '../src/app/panels';
import { parseLesson } from '../src/model/lesson/lesson';
import { session } from '../src/model/session/session';
import { compiled, SCENARIOS, scenarioAt } from './support/scenarios';

const opened = SCENARIOS.flatMap((path) => {
  const scenario = scenarioAt(path);
  const text = readFileSync(`${dirname(path)}/${scenario.lesson}`, 'utf8');
  const panels = parseLesson(text).steps.flatMap(({ scene }) => scene?.panel ?? []);
  return [...new Set(panels)].map((panel) => ({ path, panel, scenario }));
});

test.each(opened)('$path shows $panel', ({ panel, scenario }) => {
  session.setState({ ...session.getState(), data: scenario, machine: compiled(scenario) });
  const { kind } = scenario.view;
  const shown = allPanels.filter(
    ({ view, shown: isShown }) => [view].flat().includes(kind) && isShown?.getState() !== false,
  );
  expect(shown.map(({ id }) => id)).toContain(panel);
});
