/** Findings about every machine that the axes of an experiment make, and not only about the one that is opened. */
import { compile } from '../scenario/compile';
import { pointsOf, variablesAt } from '../scenario/experiment';
import type { Assignment, Scenario } from '../scenario/scenario-types';
import { settingText } from '../scenario/settings';
import { lint } from './lint';
import type { Finding } from './subject';

/** A finding, and the first setting of the axes that has it: "" for the scenario's own values. */
export interface PlacedFinding extends Finding {
  readonly setting: string;
}

export function lintExperiment(scenario: Scenario): PlacedFinding[] {
  const found = new Map<string, PlacedFinding>();
  const settings: Assignment[] = [{}, ...pointsOf(scenario).map(({ at }) => at)];
  for (const at of settings) {
    const variables = variablesAt(scenario, at);
    const machine = variables.ok ? compile(scenario, { variables: variables.value }) : variables;
    // A machine that is refused is reported where it would run.
    if (!machine.ok) continue;
    for (const finding of lint(machine.value)) {
      const key = `${finding.rule} ${finding.message}`;
      if (!found.has(key)) found.set(key, { ...finding, setting: settingText(at) });
    }
  }
  return [...found.values()];
}
