/** The film of a sandbox step tells what the run's events say, at every time. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Engine } from '../../engine/api';
import { createLocalEngine } from '../../engine/inprocess';
import { compile } from '../scenario/compile';
import { withPrograms } from '../scenario/program-overrides';
import { readScenario } from '../scenario/scenarios';
import { editsOf, programsOf, type SandboxRules, type SandboxStep } from './sandbox';
import { createSandboxRuns } from './sandbox-run';
import { FILM_PHASES, filmMoment, STEP_FILM_MS, type StepFilm, stepFilm } from './step-film';

let engine: Engine;
beforeAll(async () => {
  engine = await createLocalEngine();
});
afterAll(() => engine.dispose());

/** The films of steps such as "cpu0.write disk.read". */
async function filmsOf(
  text: string,
  adapter: SandboxRules['adapter'] = 'none',
): Promise<readonly StepFilm[]> {
  const steps = text.split(' ').map((word) => {
    const [who, does] = word.split('.');
    return { who, does, line: 'A' } as SandboxStep;
  });
  const read = await readScenario('start/poke');
  if (!read.ok) throw new Error('The sandbox does not load.');
  const changed = withPrograms(read.value, programsOf(steps));
  if (!changed.ok) throw new Error('The programs are refused.');
  const edits = editsOf({ adapter, forgets: false });
  const machine = compile(changed.value, { watched: true, edits });
  if (!machine.ok) throw new Error('The machine does not compile.');
  const run = await createSandboxRuns(engine)(machine.value, steps.length);
  return steps.flatMap((_, index) => (run && stepFilm(run, steps, index + 1)) ?? []);
}

const answersOf = ({ answers }: StepFilm) =>
  Object.fromEntries(answers.map(({ place, text }) => [place, text]));
const rowsOf = ({ rows }: StepFilm) => rows.map(({ text }) => text);

describe('the film of a step', () => {
  test('shows a request, the snoop answers, and whence the data comes', async () => {
    const [write, read] = await filmsOf('cpu0.write cpu1.read');
    expect(write?.request).toMatchObject({ from: 'cpu0', text: 'READ private' });
    expect(write?.data).toEqual({ from: 'memory', to: 'cpu0', text: 'A = 0' });
    expect(read?.request).toMatchObject({ from: 'cpu1', text: 'READ shared' });
    expect(answersOf(read as StepFilm)).toEqual({ cpu0: 'COPY', memory: 'held back' });
    expect(read?.data).toEqual({ from: 'cpu0', to: 'cpu1', text: 'A = 1' });
    expect(read?.awaits).toBe('cpu1');
    expect(rowsOf(read as StepFilm).slice(0, 3)).toEqual([
      'CPU 1 sends READ shared',
      'CPU 0: COPY',
      'CPU 0 sends A = 1',
    ]);
    const times = read?.rows.map(({ afterPs }) => afterPs ?? Infinity) ?? [];
    expect(times).toEqual([...times].sort((a, b) => a - b));
  });

  test('shows that a device which does not snoop asks no cache', async () => {
    const [, read, write] = await filmsOf('cpu0.write disk.read disk.write');
    expect(answersOf(read as StepFilm)).toMatchObject({ cpu0: 'not asked', cpu1: 'not asked' });
    expect(read?.data).toEqual({ from: 'memory', to: 'disk', text: 'A = 0' });
    expect(write?.data).toEqual({ from: 'disk', to: 'memory', text: 'A = 3' });
    const [, , snooped] = await filmsOf('driver.map cpu0.write disk.read', 'coherent');
    expect(answersOf(snooped as StepFilm)).toMatchObject({ cpu0: 'COPY' });
  });

  test('shows a line written back, and a copy given up', async () => {
    const [, , taken, flushed] = await filmsOf('cpu0.write cpu1.read cpu1.write cpu0.flush');
    expect(answersOf(taken as StepFilm)).toMatchObject({ cpu0: 'OK, gives it up' });
    expect(answersOf(flushed as StepFilm)).toMatchObject({ cpu1: 'writes back' });
    expect(flushed?.data).toEqual({ from: 'cpu1', to: 'memory', text: 'A = 3' });
  });

  test('says so where nothing crosses the bus', async () => {
    const [, again] = await filmsOf('cpu0.write cpu0.read');
    expect(again).toMatchObject({ request: null, data: null, answers: [] });
    expect(rowsOf(again as StepFilm)).toEqual([
      'no transaction about line A',
      'no cache is asked',
      'no data crosses the bus',
      'no copy changes',
    ]);
  });
});

test('each time of the film is in one phase, and phases pass one after another', () => {
  let before = filmMoment(0);
  for (let ms = 0; ms <= STEP_FILM_MS + 50; ms += 10) {
    const now = filmMoment(ms);
    for (const [index, phase] of FILM_PHASES.entries()) {
      expect(now.share[phase]).toBeGreaterThanOrEqual(before.share[phase]);
      const next = FILM_PHASES[index + 1];
      if (next && now.share[next] > 0) expect(now.share[phase]).toBe(1);
    }
    before = now;
  }
  expect(before).toMatchObject({ phase: 'over', share: { request: 1, change: 1 } });
});
