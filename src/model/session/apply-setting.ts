/** Applies settings of a lesson or an address to the open session. */
import { withoutOverrides } from '../scenario/axis-overrides';
import { paramAt } from '../scenario/compiled';
import { variablesAt } from '../scenario/experiment';
import type { Assignment } from '../scenario/scenario-types';
import { isParam, some, split } from '../scenario/settings';
import { toInteger } from '../scenario/values';
import { setVariables } from './editing';
import { type SessionState, session } from './session';

/** Whether a setting is in force in the open session. */
export function isSet({ machine }: SessionState, setting: Assignment): boolean {
  if (!machine) return false;
  return Object.entries(setting).every(([name, value]) => {
    if (!isParam(name)) return machine.variables[name] === value;
    const part = machine.parts.find((one) => one.params.some(({ path }) => path === name));
    const param = paramAt(machine, name);
    return param && part && param.value === toInteger(value, param.spec.type, part.type.enums);
  });
}

/**
 * Applies a setting to the open session.
 * @returns why it is refused, or null
 */
export function applySetting(setting: Assignment): string | null {
  const { data, machine, edits: before, variables: now } = session.getState();
  if (!data || !machine) return 'No session is open.';
  const { edits, variables } = split(setting);
  const following = data.experiment?.axes.flatMap(({ also }) => Object.keys(also)) ?? [];
  const kept = some(machine.variables, (name) => !following.includes(name));
  const all = variablesAt(data, { ...kept, ...variables });
  if (!all.ok) return all.problems[0]?.message ?? null;
  const named = data.experiment?.axes.filter(({ name }) => Object.hasOwn(variables, name)) ?? [];
  const others = withoutOverrides(data, before, named);
  const together = Object.keys(edits).length > 0 ? { ...others, ...edits } : others;
  const refused = setVariables(Object.keys(variables).length > 0 ? all.value : now, together);
  return refused ? refused.message : null;
}
