/** The runs that decide a lesson's questions and tasks, without the open session. */
import type { Engine } from '../../engine/api';
import type { CompiledMachine } from '../scenario/compiled';
import { type Result, success } from '../scenario/problems';
import type { Assignment, Scenario } from '../scenario/scenario-types';
import { machineWith, settingOf } from '../scenario/settings';
import { lessonRun } from './check-run';
import { verdict } from './evidence';
import type { Question } from './lesson';

interface FinishedRun {
  readonly machine: CompiledMachine;
  /** Final counters of all parts, one part after another. */
  readonly counters: ArrayLike<number>;
}

/** The settings of the run that a question is about; none for the scenario's initial run. */
export const settingsOf = ({ set }: Pick<Question, 'set'>): Assignment =>
  set === null ? {} : (settingOf(set) ?? {});

/** Runs a scenario for its questions; questions with the same settings share a run. */
export class QuestionRuns {
  readonly #engine: Engine;
  readonly #scenario: Scenario;
  readonly #known = new Map<string | null, Result<FinishedRun>>();

  constructor(engine: Engine, scenario: Scenario) {
    this.#engine = engine;
    this.#scenario = scenario;
  }

  /** The run of a question; by default the initial run. */
  async of(question: Pick<Question, 'set'> = { set: null }): Promise<Result<FinishedRun>> {
    const run = this.#known.get(question.set) ?? (await this.#make(settingsOf(question)));
    this.#known.set(question.set, run);
    return run;
  }

  async #make(settings: Assignment): Promise<Result<FinishedRun>> {
    const machine = machineWith(this.#scenario, [settings]);
    if (!machine.ok) return machine;
    const { counters } = await lessonRun(this.#engine, machine.value, []);
    return success({ machine: machine.value, counters });
  }

  /** The id of the option that a question's run confirms; null if it confirms none. */
  async rightOption(question: Question): Promise<string | null> {
    const run = await this.of(question);
    if (!run.ok) return null;
    const { machine, counters } = run.value;
    return question.options[verdict(question, machine, counters)]?.id ?? null;
  }
}
