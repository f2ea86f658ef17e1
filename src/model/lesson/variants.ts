/**
 * A lab with a machine for each student. The lab declares which values differ, and where they lie:
 *
 *     "variants": {
 *       "size": [64, 128, 256],
 *       "bus.clock": { "from": "25 MHz", "to": "66 MHz", "step": "1 MHz" }
 *     }
 *
 * A name with a dot is a parameter of a part, another a variable. Which values a student gets follows from the
 * student's name and the seed, so that a lab can be graded without keeping the machines.
 */
import { applyEdits, modify } from 'jsonc-parser';
import { digest } from '../../base/digest';
import { quote } from '../../base/suggest';
import { readJson } from '../scenario/json-text';
import { failure, problem, type Result, success } from '../scenario/problems';
import type { Assignment, Value } from '../scenario/scenario-types';
import { isParam } from '../scenario/settings';

interface Span {
  readonly from: Value;
  readonly to: Value;
  readonly step: Value;
}

/** Possible values by name. */
export type DeclaredVariants = Readonly<Record<string, readonly Value[]>>;

/** Most values of one name. */
const MAX_VALUES = 10_000;

const NUMBER = /^(-?\d+)(?:\.(\d+))?\s*(.*)$/;

/** "2.5 us" as 25 of 1 decimal of "us"; null if it is no number. */
function scaled(value: Value, decimals: number) {
  const [all, whole = '', fraction = '', unit = ''] = NUMBER.exec(String(value)) ?? [];
  if (all === undefined) return null;
  return { count: Number(whole + fraction.padEnd(decimals, '0')), unit };
}

const decimalsOf = (value: Value): number => NUMBER.exec(String(value))?.[2]?.length ?? 0;

/** The values of a span; a sentence if it has none. */
function valuesOf(name: string, { from, to, step }: Span): readonly Value[] | string {
  const decimals = Math.max(...[from, to, step].map(decimalsOf));
  const [first, last, by] = [from, to, step].map((value) => scaled(value, decimals));
  if (!first || !last || !by) return `The variants of ${quote(name)} are numbers, with a unit.`;
  if (first.unit !== last.unit || first.unit !== by.unit)
    return `The variants of ${quote(name)} have one unit, as in "25 MHz", "66 MHz" and "1 MHz".`;
  const most = Math.floor((last.count - first.count) / by.count);
  if (by.count <= 0 || most < 1 || most >= MAX_VALUES)
    return `The variants of ${quote(name)} go up from ${quote(from)} to ${quote(to)} in fewer than ${MAX_VALUES} steps.`;
  return Array.from({ length: most + 1 }, (_, index) => {
    const value = (first.count + index * by.count) / 10 ** decimals;
    return first.unit ? `${value.toFixed(decimals)} ${first.unit}` : value;
  });
}

/** The variants that a lab declares; its problems if it declares none, or none that can be read. */
export function variantsIn(text: string, file: string): Result<DeclaredVariants> {
  const json = readJson(text, file);
  if (!json.ok) return json;
  const { variants } = json.value.value as { variants?: Record<string, readonly Value[] | Span> };
  if (!variants || Object.keys(variants).length === 0)
    return failure([problem('The lab has no "variants": nothing differs by student.', '', file)]);
  const all: Record<string, readonly Value[]> = {};
  for (const [name, one] of Object.entries(variants)) {
    const values = Array.isArray(one) ? one : valuesOf(name, one as Span);
    if (typeof values === 'string') return failure([problem(values, '/variants', file)]);
    if (values.length < 2) {
      const few = `The variants of ${quote(name)} have at least two values.`;
      return failure([problem(few, '/variants', file)]);
    }
    all[name] = values;
  }
  return success(all);
}

/** The student's values. */
export const valuesFor = (variants: DeclaredVariants, student: string, seed: string): Assignment =>
  Object.fromEntries(
    Object.entries(variants).map(([name, values]) => {
      // The student comes first: the digest needs the characters after it to spread the difference.
      const at = Number.parseInt(digest(`${student} ${name} ${seed} of this lab`), 16);
      return [name, values[at % values.length] as Value];
    }),
  );

/** Where a value is in the scenario's file. */
function placeOf(name: string, file: Record<string, unknown>): (string | number)[] {
  const dot = name.indexOf('.');
  const place = isParam(name)
    ? ['machine', 'parts', name.slice(0, dot), 'params', name.slice(dot + 1)]
    : ['variables', name];
  let at: unknown = file;
  for (const key of place) at = (at as Record<string, unknown> | undefined)?.[key];
  const isWhole = typeof at === 'object' && at !== null && 'value' in at;
  return isWhole ? [...place, 'value'] : place;
}

/** The lab's file with the student's values and the lesson in it; it does not tell what others have. */
export function variantText(text: string, values: Assignment, lesson: string): Result<string> {
  const json = readJson(text);
  if (!json.ok) return json;
  const file = json.value.value as Record<string, unknown>;
  const set = (now: string, place: (string | number)[], value: unknown) =>
    applyEdits(
      now,
      modify(now, place, value, { formattingOptions: { insertSpaces: true, tabSize: 2 } }),
    );
  let made = set(json.value.text, ['variants'], undefined);
  for (const [name, value] of Object.entries(values)) made = set(made, placeOf(name, file), value);
  return success(set(made, ['lesson'], lesson));
}
