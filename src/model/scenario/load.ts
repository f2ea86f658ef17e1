/** Text -> scenario at once, every part of it checked: where nobody waits for the next frame. */
import { runToCompletion } from '../../base/tasks';
import { type LoadOptions, shapeScenario } from './load-scenario';
import type { Result } from './problems';
import type { Scenario } from './scenario-types';
import { SHAPES } from './shapes';

export function loadScenario(text: string, options: LoadOptions = {}): Result<Scenario> {
  const shaped = shapeScenario(text, options, SHAPES);
  return shaped.ok ? runToCompletion(shaped.value.read()) : shaped;
}
