/** The run behind the gallery's first picture: a processor stores to a line, and a disk reads it past the caches. */
import { createWorkerEngine } from '../../engine/workers';
import {
  DEFAULT_SANDBOX_RULES,
  editsOf,
  programsOf,
  type SandboxStep,
} from '../../model/sandbox/sandbox';
import { createSandboxRuns, type SandboxRun } from '../../model/sandbox/sandbox-run';
import { type StepFilm, stepFilm } from '../../model/sandbox/step-film';
import { compile } from '../../model/scenario/compile';
import { withPrograms } from '../../model/scenario/program-overrides';
import { readScenario } from '../../model/scenario/scenarios';

const SANDBOX = 'start/poke';
const LINE = 'A';
const STEPS: readonly SandboxStep[] = [
  { who: 'cpu0', does: 'write', line: LINE },
  { who: 'disk', does: 'read', line: LINE },
];

/** What the four parts hold: the values of today (newest) and of yesterday. */
export interface HeroState {
  readonly cached: 'nothing' | 'today';
  readonly memory: 'today' | 'yesterday';
  readonly disk: 'nothing' | 'today' | 'yesterday';
  /** Whether memory has the newest value. */
  readonly isCurrent: boolean;
}

interface HeroFilm {
  readonly film: StepFilm;
  /** The value that the data carries. */
  readonly data: 'today' | 'yesterday';
}

export interface HeroRun {
  /** Before the first press, and after each. */
  readonly states: readonly HeroState[];
  readonly films: readonly HeroFilm[];
}

/** Value 0 was there before the program saved; every other one is its own. */
const dayOf = (value: number): 'today' | 'yesterday' => (value === 0 ? 'yesterday' : 'today');

function stateAt(run: SandboxRun, step: number): HeroState {
  const now = run.steps[step]?.lines[LINE];
  const read = run.steps[step]?.events.find(
    ({ name, part }) => name === 'read' && run.machine.parts[part]?.name === 'disk',
  );
  const got = read?.writes[0];
  return {
    cached: now?.copies[0]?.value == null ? 'nothing' : 'today',
    memory: dayOf(now?.memory ?? 0),
    disk: got === undefined ? 'nothing' : dayOf(got),
    isCurrent: now?.memory === now?.newest,
  };
}

function filmAt(run: SandboxRun, step: number): HeroFilm {
  const film = stepFilm(run, STEPS, step);
  if (!film) throw new Error(`Step ${step} of ${SANDBOX} did nothing.`);
  const [, value = '0'] = /= (\d+)$/.exec(film.data?.text ?? '') ?? [];
  return { film, data: dayOf(Number(value)) };
}

/** @throws if the scenario or the engine cannot be loaded */
export async function runHero(): Promise<HeroRun> {
  const read = await readScenario(SANDBOX);
  const changed = read.ok ? withPrograms(read.value, programsOf(STEPS)) : read;
  const made = changed.ok
    ? compile(changed.value, { watched: true, edits: editsOf(DEFAULT_SANDBOX_RULES) })
    : changed;
  if (!made.ok) throw new Error(made.problems[0]?.message);
  const engine = createWorkerEngine();
  try {
    const run = await createSandboxRuns(engine)(made.value, STEPS.length);
    if (!run) throw new Error('The run was stopped.');
    return {
      states: [0, ...STEPS.keys()].map((_, step) => stateAt(run, step)),
      films: STEPS.map((_, step) => filmAt(run, step + 1)),
    };
  } finally {
    engine.dispose();
  }
}
