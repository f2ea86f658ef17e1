/** The shapes of files, checked by the schema. */
import type { JsonText } from './json-text';
import type { Result } from './problems';
import { type MachineFile, machineFile, type ScenarioFile, scenarioFile } from './schema';
import { readShape } from './shape-errors';

export interface Shapes {
  scenario(json: JsonText): Result<ScenarioFile>;
  machine(json: JsonText): Result<MachineFile>;
}

export const SHAPES: Shapes = {
  scenario: (json) => readShape(json, scenarioFile),
  machine: (json) => readShape(json, machineFile),
};
