import { quote } from '../../base/suggest';
import { lineOf } from '../scenario/problems';
import type { Scenario } from '../scenario/scenario-types';
import { machineWith, settingOf } from '../scenario/settings';

/** Why a link cannot set its values; null if it can. */
export function settingProblem(value: string, scenario: Scenario): string | null {
  const setting = settingOf(value);
  if (!setting) return `${quote(value)} sets nothing; write it as "set:name=value".`;
  for (const axis of scenario.experiment?.axes ?? []) {
    const setValue = setting[axis.name];
    if (setValue !== undefined && !axis.values.includes(setValue))
      return `${quote(String(setValue))} is not a value of ${quote(axis.name)}; these are: ${axis.values.join(', ')}.`;
  }
  const machine = machineWith(scenario, [setting]);
  if (machine.ok) return null;
  const [first] = machine.problems;
  return first ? `${quote(value)} cannot be set. ${lineOf({ ...first, file: '', line: 0 })}` : null;
}
