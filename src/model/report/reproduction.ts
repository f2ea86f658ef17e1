/**
 * The reproduction report: runs every scenario's expectations on the page's engine. While nobody looks at it, it
 * keeps its results and runs no further scenario.
 */
import { createStore } from '../../base/store';
import { createSweepWorkers } from '../../engine/workers';
import { listScenarios, readScenario } from '../scenario/scenarios';
import { checkScenario } from './check';
import type { CheckReport } from './check-types';

export interface Reproduction {
  readonly status: 'idle' | 'running' | 'stopped' | 'done';
  readonly reports: readonly CheckReport[];
  /** Title of the running scenario, and its finished runs. */
  readonly title: string;
  readonly done: number;
  readonly total: number;
  /** Number of finished scenarios, out of all with expectations. */
  readonly finished: number;
  readonly scenarios: number;
  readonly wallMs: number;
}

const NOTHING: Reproduction = {
  status: 'idle',
  reports: [],
  title: '',
  done: 0,
  total: 0,
  finished: 0,
  scenarios: 0,
  wallMs: 0,
};

export const reproduction = createStore(NOTHING);

let turn = 0;
let stop: () => void = () => {};

let isShown = false;
let goOn: () => void = () => {};

const shown = (): Promise<void> =>
  isShown
    ? Promise.resolve()
    : new Promise((resolve) => {
        goOn = resolve;
      });

/** Starts the report, or goes on with it; returns what pauses it when the page leaves it. */
export function showReproduction(now: () => number, workers: number): () => void {
  isShown = true;
  goOn();
  if (reproduction.getState().status === 'idle') void runReproduction(now, workers);
  return () => {
    isShown = false;
  };
}

/** Runs everything again, in up to `workers` workers; a later call replaces an earlier one. */
export async function runReproduction(now: () => number, workers: number): Promise<void> {
  stop();
  const mine = ++turn;
  let started = now();
  const engine = createSweepWorkers(workers);
  stop = () => engine.dispose();
  reproduction.setState({ ...NOTHING, status: 'running' }, true);
  const entries = listScenarios();
  for (const [index, entry] of entries.entries()) {
    const pausedAt = now();
    await shown();
    if (mine !== turn) return;
    started += now() - pausedAt;
    reproduction.setState({ title: entry.title, done: 0, total: 0, scenarios: entries.length });
    const scenario = await readScenario(entry.id);
    if (mine !== turn) return;
    if (scenario.ok && scenario.value.expect.length > 0) {
      const report = await checkScenario(engine, scenario.value, (done, total) => {
        if (mine === turn) reproduction.setState({ done, total });
      });
      if (mine !== turn) return;
      reproduction.setState(({ reports }) => ({ reports: [...reports, report] }));
    }
    reproduction.setState({ finished: index + 1, wallMs: now() - started });
  }
  engine.dispose();
  reproduction.setState({ status: 'done' });
}

export function stopReproduction(): void {
  turn++;
  stop();
  reproduction.setState({ status: 'stopped' });
}
