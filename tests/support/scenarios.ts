/** The shipped scenarios, read from their files and compiled. */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { filesUnder } from '../../scripts/lib.mjs';
import { runToCompletion } from '../../src/base/tasks';
import { type CompileOptions, compile } from '../../src/model/scenario/compile';
import type { CompiledMachine } from '../../src/model/scenario/compiled';
import { loadScenario } from '../../src/model/scenario/load';
import { shapeScenario } from '../../src/model/scenario/load-scenario';
import type { Result } from '../../src/model/scenario/problems';
import type { Scenario } from '../../src/model/scenario/scenario-types';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const files = filesUnder('scenarios').filter((path) => path.endsWith('.json'));
const isMachine = (path: string) => path.startsWith('scenarios/machines/');

/** Texts of the machines that scenarios extend, by name. */
export const MACHINES: ReadonlyMap<string, string> = new Map(
  files.filter(isMachine).map((path) => [basename(path, '.json'), read(path)]),
);

/** Paths of all scenario files. */
export const SCENARIOS: readonly string[] = files.filter((path) => !isMachine(path));

function must<T>(result: Result<T>, what: string): T {
  if (result.ok) return result.value;
  throw new Error(`${what}: ${result.problems.map(({ message }) => message).join(' ')}`);
}

export const scenarioFrom = (text: string, file: string): Scenario =>
  must(loadScenario(text, { file, machines: MACHINES }), file);

/** With all checks, which tests/golden/scenarios.test.ts makes for every scenario: they take most of the time. */
export const checkedScenarioAt = (path: string): Scenario => scenarioFrom(read(path), path);

export function scenarioAt(path: string): Scenario {
  const shaped = must(shapeScenario(read(path), { file: path, machines: MACHINES }, null), path);
  return must(runToCompletion(shaped.read()), path);
}

export const compiled = (scenario: Scenario, options?: CompileOptions): CompiledMachine =>
  must(compile(scenario, options), scenario.title);
