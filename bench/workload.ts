/** What is measured: points of the GT crossover scenario, compiled. */
import type { SessionSpec } from '../src/engine/api';
import { pointsOf } from '../src/model/scenario/experiment';
import { compiled, scenarioAt } from '../tests/support/scenarios';

const scenario = scenarioAt('scenarios/gt/crossover.json');
const METHODS = ['pio_write', 'dma_write', 'pio_read', 'dma_read', 'memory_write', 'memory_read'];
const LARGEST = 1 << 20;
const INTERACTIVE = 64 << 10;

export interface Work extends SessionSpec {
  readonly untilPs: number;
}

function session(
  variables: Readonly<Record<string, number | string | boolean>>,
  traceLog2: number,
): Work {
  const { config, untilPs } = compiled(scenario, { variables, traceLog2 });
  return { config, untilPs, commands: [] };
}

/** Each method once at the largest size: several million events. */
export const methods = (): Work[] =>
  METHODS.map((method) => session({ method, size: LARGEST, laps: 1 }, 16));

/** One run of more than ten million events. */
export const long = (): Work => session({ method: 'pio_read', size: LARGEST, laps: 8 }, 16);

/** All points of the curves in the order of the experiment, and whether a slider waits for them first. */
export const curves = (): { work: Work; interactive: boolean }[] =>
  pointsOf(scenario).map(({ variables }) => ({
    work: session(variables, 0),
    interactive: Number(variables.size) <= INTERACTIVE,
  }));
