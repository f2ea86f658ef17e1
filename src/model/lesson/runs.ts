/** Runs that the numbers of a lesson are taken from; each is made once. */
import { hint, quote } from '../../base/suggest';
import type { Engine } from '../../engine/api';
import type { CompiledMachine } from '../scenario/compiled';
import type { Assignment, Scenario } from '../scenario/scenario-types';
import { listScenarios, readScenario } from '../scenario/scenarios';
import { machineWith, settingOf } from '../scenario/settings';
import { type NearestEvent, nearTo, openMachine } from './check-run';
import { settingProblem } from './setting-problem';

/** A machine and its counters at some time of a run. */
export interface Ran {
  readonly scenario: Scenario;
  readonly machine: CompiledMachine;
  readonly counters: ArrayLike<number>;
}

/** Which run: of the lesson's scenario or of another, as it opens or with a setting, with its own seed or another. */
export interface RunName {
  readonly scenario: string | null;
  readonly setting: string;
  readonly seed: number | null;
}

/** The id of a scenario: "gt/crossover". */
export const SCENARIO = '[a-z][\\w-]*/[\\w-]+';

export class Runs {
  readonly #made = new Map<string, Promise<unknown>>();

  constructor(
    readonly engine: Engine,
    readonly scenario: Scenario,
  ) {}

  #once<T>(key: string, make: () => Promise<T>): Promise<T> {
    const made = this.#made.get(key) ?? make();
    this.#made.set(key, made);
    return made as Promise<T>;
  }

  /** The lesson's own scenario, or another; a message if there is none. */
  scenarioOf({ scenario: id }: RunName): Promise<Scenario | string> {
    if (id === null) return Promise.resolve(this.scenario);
    return this.#once(`scenario ${id}`, async () => {
      const known = listScenarios().map((entry) => entry.id);
      if (!known.includes(id)) return `There is no scenario ${quote(id)}${hint(id, known)}`;
      const read = await readScenario(id);
      return read.ok ? read.value : `The scenario ${quote(id)} cannot be read.`;
    });
  }

  /** The scenario and the machine of a run; a message if it cannot be set up. */
  async #machineOf(name: RunName): Promise<Omit<Ran, 'counters'> | string> {
    const scenario = await this.scenarioOf(name);
    if (typeof scenario === 'string') return scenario;
    const { setting, seed } = name;
    const problem = setting === '' ? null : settingProblem(setting, scenario);
    if (problem) return problem;
    const settings = setting === '' ? [] : [settingOf(setting) ?? {}];
    const machine = machineWith(scenario, settings, seed ?? undefined);
    return machine.ok ? { scenario, machine: machine.value } : `${quote(setting)} cannot be set.`;
  }

  async #run(machine: CompiledMachine, untilPs: number): Promise<number[]> {
    await openMachine(this.engine, machine);
    await this.engine.run({ untilPs });
    const frame = await this.engine.frame({ views: [] });
    const counters = frame.counters.flatMap((own) => [...own]);
    this.engine.release(frame);
    return counters;
  }

  /** A run at its end or at a time; a message if it cannot be made. Without a name it is `base`. */
  at(name: RunName, base: Ran, atPs: number | null): Promise<Ran | string> {
    const isBase = name.scenario === null && name.setting === '' && name.seed === null;
    const make = async () => {
      const found = isBase ? base : await this.#machineOf(name);
      if (typeof found === 'string') return found;
      const counters = await this.#run(found.machine, atPs ?? found.machine.untilPs);
      return { ...found, counters };
    };
    if (!isBase) return this.#once(JSON.stringify([name, atPs]), make);
    return atPs === null ? Promise.resolve(base) : make();
  }

  /** The counters of a point that no setting can name, such as one between two values of an axis. */
  async atPoint(name: RunName, point: Assignment): Promise<Ran | string> {
    const scenario = await this.scenarioOf(name);
    if (typeof scenario === 'string') return scenario;
    const machine = machineWith(scenario, [settingOf(name.setting) ?? {}, point]);
    if (!machine.ok) return `${quote(JSON.stringify(point))} cannot be set.`;
    const counters = await this.#run(machine.value, machine.value.untilPs);
    return { scenario, machine: machine.value, counters };
  }

  /** The nearest events to a time of another run; a message if it cannot be made. */
  async near(name: RunName, timePs: number): Promise<NearestEvent | string> {
    const found = await this.#machineOf(name);
    if (typeof found === 'string') return found;
    await openMachine(this.engine, found.machine);
    return nearTo(this.engine, found.machine, timePs);
  }
}
