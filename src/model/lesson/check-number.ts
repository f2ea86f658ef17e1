/** Checks numbers that a lesson takes from runs or from a source: "[63 ns](run:cpu.lap_time)". */
import { quote } from '../../base/suggest';
import { figure, noFigure } from '../published/published';
import type { Checked } from './check-context';
import { isRounded, quantity, quantityText } from './quantities';
import { runValue } from './run-value';

/** Why a number is not that of the run; null if it is. */
export async function numberProblem(
  text: string,
  name: string,
  { runs, run, machine }: Checked,
): Promise<string | null> {
  const found = await runValue(name, runs, { machine, counters: run.counters });
  if (typeof found === 'string') return found;
  if (isRounded(text, found)) return null;
  return `${quote(text)} is not ${name}, which is ${quantityText(found)}.`;
}

/** Why a number is not that of its source. Only published figures are known: "source:gt.dma_write.512". */
export function sourceProblem(text: string, source: string): string | null {
  if (!/^\w+(\.\w+)+$/.test(source)) return null;
  const found = figure(source);
  if (!found) return noFigure(source);
  const is = quantity(found.value, found.unit);
  const within = (found.range ?? []).map((value) => quantity(value, found.unit));
  if ([is, ...within].some((one) => isRounded(text, one))) return null;
  return `${quote(text)} is not ${source}, which is ${found.value} ${found.unit}.`;
}
