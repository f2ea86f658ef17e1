/** Checks numbers that a lesson takes from runs or from a source: "[63 ns](run:cpu.lap_time)". */
import { quote } from '../../base/suggest';
import { figure, noFigure } from '../published/published';
import type { Checked } from './check-context';
import { isRounded, quantity, quantityText } from './quantities';
import { quoted } from './quoted';
import { runValue } from './run-value';

/** Why a number is not that of the run; null if it is. */
export async function numberProblem(
  text: string,
  name: string,
  { runs, run, machine, scenario }: Checked,
): Promise<string | null> {
  const base = { scenario, machine, counters: run.counters };
  const found = await runValue(name, runs, base);
  if (typeof found === 'string') return found;
  if (isRounded(text, found)) return null;
  return `${quote(text)} is not ${name}, which is ${quantityText(found)}.`;
}

/** A source that is checked: "gt.dma_write.512". Any other is a text for the reader. */
export const isChecked = (source: string): boolean => /^\w+(\.\w+)+$/.test(source);

/** Why a number is not that of its source: a published figure, or a value that lessons quote. */
export function sourceProblem(text: string, source: string): string | null {
  if (!isChecked(source)) return null;
  const is = quoted(source);
  if (!is) return noFigure(source);
  const { unit, range = [] } = figure(source) ?? { unit: '' };
  const within = range.map((value) => quantity(value, unit));
  if ([is, ...within].some((one) => isRounded(text, one))) return null;
  return `${quote(text)} is not ${source}, which is ${quantityText(is)}.`;
}
