/**
 * The sandbox's state. The steps are the programs of the open session, which undoes, shares and saves them;
 * here they run on a separate engine and are shown one by one.
 */

import { clamp } from '../../base/geometry';
import { announce, showBanner } from '../../base/notices';
import { createStore } from '../../base/store';
import type { Engine } from '../../engine/api';
import { createWorkerEngine } from '../../engine/workers';
import {
  editsOf,
  MAX_SANDBOX_STEPS,
  programsOf,
  rulesOf,
  type SandboxLine,
  type SandboxRules,
  type SandboxStep,
  stepsOfPrograms,
} from '../../model/sandbox/sandbox';
import {
  createSandboxRuns,
  isSandboxMachine,
  type SandboxRun,
} from '../../model/sandbox/sandbox-run';
import { disabledReason, stepText } from '../../model/sandbox/sandbox-text';
import { stepFilm } from '../../model/sandbox/step-film';
import {
  allViolations,
  VIOLATION_TITLES,
  type Violation,
  violationsOf,
} from '../../model/sandbox/violations';
import { compile } from '../../model/scenario/compile';
import { setPrograms } from '../../model/session/editing';
import { revise, type SessionState, session, setView } from '../../model/session/session';
import { endFilm, showFilm } from './film-state';

export interface Play {
  readonly userSteps: readonly SandboxStep[];
  readonly rules: SandboxRules;
  /** The run of these steps; null during the first run. */
  readonly run: SandboxRun | null;
  readonly violations: readonly Violation[];
  /** The shown step; the next one follows it. */
  readonly shown: number;
  /** The line that buttons act on. */
  readonly line: SandboxLine;
  /** Why the last press did nothing. */
  readonly setNote: string | null;
  /** Why the sandbox cannot run. */
  readonly failure: string | null;
}

const NOTHING: Play = {
  userSteps: [],
  rules: rulesOf({}),
  run: null,
  violations: [],
  shown: 0,
  line: 'A',
  setNote: null,
  failure: null,
};

export const play = createStore(NOTHING);

let engine: Engine | null = null;
let runs: ReturnType<typeof createSandboxRuns> | null = null;
/** The steps after which the next press is added, whether they have run or not. */
let base: { readonly userSteps: readonly SandboxStep[]; readonly shown: number } = {
  userSteps: [],
  shown: 0,
};
let followed: Pick<SessionState, 'programs' | 'edits' | 'opened' | 'data'> | null = null;

/** Presses during the first run, in order. They follow the step at which the session was left. */
let queued: SandboxStep[] = [];

/** Key in a session's view: a pressed step that has not run yet, so its events are unknown. */
const PENDING_STEP = 'sandbox_step';

/** Where an opened session was left: the pending step, or the first at or after its event count. */
function leftAt({ steps }: SandboxRun, { view, cursor }: SessionState): number {
  const pending = view[PENDING_STEP];
  const last = steps.length - 1;
  if (typeof pending === 'number') return clamp(pending, 0, last);
  const step = steps.findIndex(({ done }) => done >= cursor);
  return step < 0 ? last : step;
}

function fail(failure: string): void {
  queued = [];
  play.setState({ ...NOTHING, failure }, true);
}

async function follow(now: SessionState): Promise<void> {
  const { programs, edits, opened, data, variables, seed } = now;
  // While the view opens, the previous session may still be open; it is not a sandbox.
  if (
    data?.view.kind !== 'sandbox' ||
    (followed?.data === data && followed.edits === edits && followed.opened === opened)
  )
    return;
  const fresh = followed?.opened !== opened;
  followed = { programs, edits, opened, data };
  const userSteps = stepsOfPrograms(programs);
  const made = compile(data, {
    variables,
    edits,
    watched: true,
    ...(seed === null ? {} : { seed }),
  });
  if (!made.ok) return fail(made.problems[0]?.message ?? '');
  if (!isSandboxMachine(made.value)) return fail('The sandbox needs a machine with other parts.');
  if (!userSteps) return fail('The programs of this session are not a list of steps.');
  base = { userSteps, shown: userSteps.length };
  engine ??= createWorkerEngine();
  runs ??= createSandboxRuns(engine);
  const mine = runs;
  try {
    const run = await mine(made.value, userSteps.length);
    if (!run || mine !== runs) return;
    const shown = fresh ? leftAt(run, now) : userSteps.length;
    const [rules, violations] = [rulesOf(edits), allViolations(run, userSteps)];
    play.setState({ userSteps, rules, run, violations, setNote: null, failure: null });
    showStep(shown, !fresh);
    for (const userStep of queued.splice(0)) apply(userStep);
  } catch (error) {
    if (mine !== runs) return;
    fail(error instanceof Error ? error.message : String(error));
  }
}

/** Follows the open session until the returned function is called. */
export function startPlay(): () => void {
  play.setState(NOTHING, true);
  showFilm(null, false);
  followed = null;
  queued = [];
  base = { userSteps: [], shown: 0 };
  void follow(session.getState());
  const stop = session.subscribe((now) => void follow(now));
  return () => {
    stop();
    endFilm();
    engine?.dispose();
    engine = runs = null;
  };
}

/** Shows a step and announces its effects. Its film is played if wanted. */
export function showStep(step: number, isPlayed = false): void {
  const { run, userSteps, rules } = play.getState();
  if (!run) return;
  const shown = Math.max(0, Math.min(step, userSteps.length));
  base = { userSteps, shown };
  play.setState({ shown, setNote: null });
  showFilm(stepFilm(run, userSteps, shown), isPlayed);
  const cursor = run.steps[shown]?.done ?? 0;
  // The next press follows this step, so it is saved with the steps.
  const { cursor: before, view } = session.getState();
  const { [PENDING_STEP]: pending, ...others } = view;
  if (cursor !== before || pending !== undefined) revise({ cursor, view: others });
  const [violation] = violationsOf(run, userSteps, shown);
  announce(
    `${stepText(run, userSteps, shown, rules)}${violation ? ` ${VIOLATION_TITLES[violation.kind]}` : ''}`,
  );
}

export const chooseLine = (line: SandboxLine): void => play.setState({ line, setNote: null });

/** Replaces steps and rules; this can be undone. */
export function replay(userSteps: readonly SandboxStep[], rules: SandboxRules): void {
  const { edits } = session.getState();
  const known = Object.keys(editsOf({ adapter: 'coherent', forgets: true }));
  const others = Object.fromEntries(
    Object.entries(edits).filter(([path]) => !known.includes(path)),
  );
  const refused = setPrograms(programsOf(userSteps), { ...others, ...editsOf(rules) });
  if (!refused) setView({ [PENDING_STEP]: userSteps.length });
  else
    showBanner({
      id: 'sandbox',
      kind: 'error',
      title: 'Cannot run',
      detail: refused.message,
      passing: true,
    });
}

export const setRules = (rules: Partial<SandboxRules>): void => {
  const { programs, edits } = session.getState();
  replay(stepsOfPrograms(programs) ?? [], { ...rulesOf(edits), ...rules });
};

const note = (text: string): void => {
  play.setState({ setNote: text });
  announce(text);
};

/** Why a press would have no effect now. */
export function reasonFor(userStep: SandboxStep, { run, shown, rules }: Play): string | null {
  return disabledReason(userStep, run?.steps[shown]?.lines[userStep.line], rules);
}

/** Why a press is refused; null if it is accepted. */
function refusal(userStep: SandboxStep, now: Play): string | null {
  if (base.shown >= MAX_SANDBOX_STEPS)
    return `A list has at most ${MAX_SANDBOX_STEPS} steps. Go back, or start again.`;
  const isKnown =
    base.shown === now.shown && (userStep.does === 'map' || userStep.does === 'unmap');
  return isKnown ? reasonFor(userStep, now) : null;
}

/** Adds a step after the shown one; later steps are removed. */
export function press(who: SandboxStep['who'], does: SandboxStep['does']): void {
  endFilm();
  const { line, run } = play.getState();
  const userStep = { who, does, line };
  if (run) apply(userStep);
  else {
    queued.push(userStep);
    note('The machine is being started. Your step is carried out after that.');
  }
}

function apply(userStep: SandboxStep): void {
  const why = refusal(userStep, play.getState());
  const { userSteps, shown } = base;
  if (why) note(why);
  else replay([...userSteps.slice(0, shown), userStep], rulesOf(session.getState().edits));
}
