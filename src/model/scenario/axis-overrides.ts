/**
 * Parameters that follow an axis of the experiment, and edits that hold against it: such an edit makes the run another
 * one than its place on the axis says.
 */

import {
  type CompiledMachine,
  type CompileOptions,
  compile,
  type Edits,
  isSameMachine,
  paramAt,
} from './compile';
import { variablesAt } from './experiment';
import type { Assignment, Axis, Scenario } from './scenario-types';
import { some } from './settings';
import { toInteger, variableOf } from './values';

/** The axis that a parameter follows, and what it is at each of its values. */
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

/** Edits without those over what these axes set. */
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

/** The edits of runs that stand where their axes say. */
export const settingsOnAxes = (scenario: Scenario, edits: Edits): Edits =>
  withoutOverrides(scenario, edits, scenario.experiment?.axes ?? []);

/** The axes that the run of a machine does not follow, since something that they set is edited. */
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

/** Every choice of one value for each axis at which what follows it is valid. */
function places(scenario: Scenario, machine: CompiledMachine, edits: Edits): Assignment[] {
  const wanted = Object.keys(edits).flatMap((path) => {
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
  let all: Assignment[] = wanted.length > 0 ? [here] : [];
  for (const axis of new Set(wanted.map((one) => one.axis))) {
    const own = wanted.filter((one) => one.axis === axis);
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
 * What has a machine run with some edits: another place on the axes where that comes to the very same, for then the
 * axes go on to say what runs; else the edits as they are.
 */
export function settingsOnAxesIfSame(
  scenario: Scenario,
  machine: CompiledMachine,
  asked: Edits,
  options: Pick<CompileOptions, 'seed'>,
): Setting {
  const { variables } = machine;
  const wanted = compile(scenario, { ...options, variables, edits: asked });
  const edits = settingsOnAxes(scenario, asked);
  for (const at of wanted.ok ? places(scenario, machine, asked) : []) {
    const others = variablesAt(scenario, at);
    if (!others.ok) continue;
    const found = compile(scenario, { ...options, variables: others.value, edits });
    if (found.ok && wanted.ok && isSameMachine(found.value, wanted.value))
      return { variables: others.value, edits };
  }
  return { variables, edits: asked };
}
