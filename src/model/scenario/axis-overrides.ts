/**
 * Parameters that follow an axis of the experiment, and edits that override them. Such an edit makes the run differ
 * from the point on its axis.
 */

import { type CompileOptions, compile } from './compile';
import { type CompiledMachine, isSameMachine, paramAt } from './compiled';
import { variablesAt } from './experiment';
import type { Assignment, Axis, Edits, Scenario } from './scenario-types';
import { some } from './settings';
import { toInteger, variableOf } from './values';

/** The axis that a parameter follows, and the parameter's value at each axis value. */
function followed({ machine, experiment }: Scenario, path: string) {
  const [part, param = ''] = path.split('.');
  const setting = machine.parts.find(({ name }) => name === part)?.params.get(param);
  const name = variableOf(setting?.value);
  if (name === null) return null;
  for (const axis of experiment?.axes ?? []) {
    const values = axis.name === name ? axis.values : axis.also[name];
    if (values) return { axis, values };
  }
  return null;
}

/** The edits without those that override the given axes. */
export const withoutOverrides = (
  scenario: Scenario,
  edits: Edits,
  axes: readonly Axis[],
): Edits => {
  const own = some(edits, (path) => {
    const axis = followed(scenario, path)?.axis;
    return !axis || !axes.includes(axis);
  });
  return Object.keys(own).length === Object.keys(edits).length ? edits : own;
};

/** The edits that do not override any axis. */
export const settingsOnAxes = (scenario: Scenario, edits: Edits): Edits =>
  withoutOverrides(scenario, edits, scenario.experiment?.axes ?? []);

/** The axes that a run no longer follows because a parameter that they set is edited. */
export function overriddenAxes(
  scenario: Scenario,
  machine: CompiledMachine,
  edits: Edits,
): readonly Axis[] {
  const edited = Object.keys(edits).filter((path) => paramAt(machine, path)?.edited);
  const axes = edited.flatMap((path) => followed(scenario, path)?.axis ?? []);
  return [...new Set(axes)];
}

export interface Setting {
  readonly variables: Assignment;
  readonly edits: Edits;
}

/** All combinations of axis values whose dependent parameters are valid. */
function places(scenario: Scenario, machine: CompiledMachine, edits: Edits): Assignment[] {
  const overrides = Object.keys(edits).flatMap((path) => {
    const param = paramAt(machine, path);
    const part = machine.parts.find(({ params }) => param && params.includes(param));
    const found = followed(scenario, path);
    return found && part && param ? [{ ...found, path, part, param }] : [];
  });
  const { axes = [] } = scenario.experiment ?? {};
  const here = some(
    machine.variables,
    (name) => !axes.some(({ also }) => Object.hasOwn(also, name)),
  );
  let all: Assignment[] = overrides.length > 0 ? [here] : [];
  for (const axis of new Set(overrides.map((one) => one.axis))) {
    const own = overrides.filter((one) => one.axis === axis);
    const fits = axis.values.filter((_, at) =>
      own.every(({ path, part, param, values }) => {
        const integer = (value = values[at]) =>
          value === undefined ? null : toInteger(value, param.spec.type, part.type.enums);
        return integer() === integer(edits[path]);
      }),
    );
    all = all.flatMap((at) => fits.map((value) => ({ ...at, [axis.name]: value })));
  }
  return all;
}

/**
 * The settings for a run with some edits. If another point of the axes gives the same machine, that point is used,
 * so that the axes describe the run; otherwise the edits stay.
 */
export function settingsOnAxesIfSame(
  scenario: Scenario,
  machine: CompiledMachine,
  requested: Edits,
  options: Pick<CompileOptions, 'seed'>,
): Setting {
  const { variables } = machine;
  const target = compile(scenario, { ...options, variables, edits: requested });
  const edits = settingsOnAxes(scenario, requested);
  for (const at of target.ok ? places(scenario, machine, requested) : []) {
    const others = variablesAt(scenario, at);
    if (!others.ok) continue;
    const found = compile(scenario, { ...options, variables: others.value, edits });
    if (found.ok && target.ok && isSameMachine(found.value, target.value))
      return { variables: others.value, edits };
  }
  return { variables, edits: requested };
}
