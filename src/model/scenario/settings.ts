/**
 * Settings in a lesson: "set:defect=none", "set:mode=coherent&cache.size=512 B". A name with a dot is a parameter,
 * otherwise a variable.
 */
import { compile } from './compile';
import type { CompiledMachine } from './compiled';
import { variablesAt } from './experiment';
import type { Result } from './problems';
import type { Assignment, Scenario, Value } from './scenario-types';

/** Parses a value: a flag, a number, or a text. A number that cannot be represented exactly stays a text. */
export const scalarOf = (text: string): Value => {
  if (text === 'true' || text === 'false') return text === 'true';
  const number = /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  return Math.abs(number) <= Number.MAX_SAFE_INTEGER ? number : text;
};

/** Parses a setting into names and values; null if it is invalid. */
export function settingOf(text: string): Assignment | null {
  const pairs = text.split('&').map((pair) => pair.split('=').map((word) => word.trim()));
  if (pairs.some((words) => words.length !== 2 || words.includes(''))) return null;
  return Object.fromEntries(pairs.map(([name = '', value = '']) => [name, scalarOf(value)]));
}

/** Formats a setting. */
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

/** The machine of a scenario with several settings applied in order, with its own seed or another. */
export function machineWith(
  scenario: Scenario,
  settings: readonly Assignment[],
  seed?: number,
): Result<CompiledMachine> {
  const { edits, variables } = split(Object.assign({}, ...settings));
  const all = variablesAt(scenario, variables);
  return all.ok ? compile(scenario, { edits, variables: all.value, seed }) : all;
}
