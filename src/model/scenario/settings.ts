/**
 * Words of a lesson that set something: "set:defect=none", "set:mode=coherent&cache.size=512 B". A name with
 * a point is a parameter, another one a variable.
 */
import { type CompiledMachine, compile } from './compile';
import { variablesAt } from './experiment';
import type { Result } from './problems';
import type { Assignment, Scenario, Value } from './scenario-types';

/** A value as people write it in one word: a flag, a number, or a text. What no number holds exactly stays a text. */
export const scalarOf = (text: string): Value => {
  if (text === 'true' || text === 'false') return text === 'true';
  const number = /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  return Math.abs(number) <= Number.MAX_SAFE_INTEGER ? number : text;
};

/** What a setting names, with its values; null if it cannot be read. */
export function settingOf(text: string): Assignment | null {
  const pairs = text.split('&').map((pair) => pair.split('=').map((word) => word.trim()));
  if (pairs.some((words) => words.length !== 2 || words.includes(''))) return null;
  return Object.fromEntries(pairs.map(([name = '', value = '']) => [name, scalarOf(value)]));
}

/** The same in words again. */
export const settingText = (setting: Assignment): string =>
  Object.entries(setting)
    .map(([name, value]) => `${name}=${value}`)
    .join('&');

export const isParam = (name: string): boolean => name.includes('.');

export const some = (all: Assignment, test: (name: string) => boolean): Assignment =>
  Object.fromEntries(Object.entries(all).filter(([name]) => test(name)));

export const split = (setting: Assignment) => ({
  edits: some(setting, isParam),
  variables: some(setting, (name) => !isParam(name)),
});

/** The machine of a scenario with settings in force, one after another. */
export function machineWith(
  scenario: Scenario,
  settings: readonly Assignment[],
): Result<CompiledMachine> {
  const { edits, variables } = split(Object.assign({}, ...settings));
  const all = variablesAt(scenario, variables);
  return all.ok ? compile(scenario, { edits, variables: all.value }) : all;
}
