/** Loads a scenario with all checks, synchronously: for use outside the page. */
import { runToCompletion } from '../../base/tasks';
import type { Shapes } from './load-machine';
import { type LoadOptions, shapeScenario } from './load-scenario';
import type { Result } from './problems';
import type { Scenario } from './scenario-types';
import { machineFile, scenarioFile } from './schema';
import { readShape } from './shape-errors';

export const SHAPES: Shapes = {
  scenario: (json) => readShape(json, scenarioFile),
  machine: (json) => readShape(json, machineFile),
};

export function loadScenario(text: string, options: LoadOptions = {}): Result<Scenario> {
  const shaped = shapeScenario(text, options, SHAPES);
  return shaped.ok ? runToCompletion(shaped.value.read()) : shaped;
}
