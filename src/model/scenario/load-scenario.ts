/**
 * Loads a scenario from its text: structure, machine, programs, experiment and expectations, with problems reported
 * at their position.
 */

import { hint, quote } from '../../base/suggest';
import type { Steps } from '../../base/tasks';
import { type Catalogue, ENGINE_PARTS, programTable } from './catalogue';
import { compile } from './compile';
import { pointsOf } from './experiment';
import { type JsonText, readJson } from './json-text';
import { MAX } from './limits';
import { type ExperimentContext, type LoadContext, readMetrics } from './load-context';
import { readExpect, readUnexplained } from './load-expect';
import { readAxes, readExperiment, readView } from './load-experiment';
import { type MachineTexts, readMachine, type Shapes } from './load-machine';
import { isPlain, readRequirement } from './load-requirements';
import { matchesPattern, workloadKey } from './paths';
import { gather, gatherInSteps, type Report, type Result, success } from './problems';
import { expandRows, type ItemFile, RowBudget } from './program-loops';
import {
  type Scenario,
  type ScenarioPart,
  type TableRow,
  type ThreadWork,
  type Value,
  type Variable,
  Where,
} from './scenario-types';
import type { MachineFile, ScenarioFile } from './schema';
import { variableOf } from './values';

export interface LoadOptions {
  /** "gt/crossover"; '' for a user's file. */
  readonly id?: string;
  /** File name for messages. */
  readonly file?: string;
  /** Texts of the machines that can be extended, by name. */
  readonly machines?: MachineTexts;
  readonly catalogue?: Catalogue;
  /** For the engine's own checks: allows verification parts. */
  readonly forChecks?: boolean;
}

/** Parsers for valid texts, such as the included ones. */
const KNOWN: Shapes = {
  scenario: (json) => success(json.value as ScenarioFile),
  machine: (json) => success(json.value as MachineFile),
};

function readVariables(file: ScenarioFile['variables']): Map<string, Variable> {
  return new Map(
    Object.entries(file ?? {}).map(([name, written]) => {
      const { value, title, unit } =
        typeof written === 'object'
          ? written
          : { value: written, title: undefined, unit: undefined };
      return [name, { name, value, title: title ?? name.replaceAll('_', ' '), unit: unit ?? '' }];
    }),
  );
}

type Work = NonNullable<ScenarioFile['workload']>[string];

const isRows = (work: readonly (string | ItemFile | readonly ItemFile[])[]): work is ItemFile[] =>
  work.every((item) => typeof item === 'object' && !Array.isArray(item));

type Rows = (items: readonly ItemFile[], where: Where) => TableRow[];

function readThreads(written: Work, where: Where, rowsOf: Rows): ThreadWork[] {
  if (typeof written === 'string') return [{ program: written, where }];
  if (isRows(written)) return [{ rows: rowsOf(written, where), where }];
  return written.map((thread, i): ThreadWork => {
    const at = where.at(i);
    if (typeof thread === 'string') return { program: thread, where: at };
    return { rows: rowsOf(thread as readonly ItemFile[], at), where: at };
  });
}

function readWorkload(
  context: LoadContext,
  file: ScenarioFile['workload'],
  where: Where,
  rowsOf: Rows,
): Map<number, ThreadWork[]> {
  const workload = new Map<number, ThreadWork[]>();
  const { parts } = context.machine;
  for (const key of Object.keys(file ?? {})) {
    const fits = ({ name }: ScenarioPart) =>
      key.includes('*') ? matchesPattern(name, key) : name === key;
    const found = parts.filter(fits);
    const known = parts.map((one) => one.name);
    const at = where.at(key);
    if (found.length === 0 && key.includes('*'))
      context.report(at.problem(`No part has a name that matches ${quote(key)}.`, true));
    else if (found.length === 0)
      context.report(at.problem(`There is no part ${quote(key)}${hint(key, known)}`, true));
    for (const part of found)
      if (!programTable(part.type))
        context.report(at.problem(`${quote(part.name)} runs no programs.`, true));
  }
  parts.forEach((part, index) => {
    const key = workloadKey(file ?? {}, part.name);
    const written = key === undefined ? undefined : file?.[key];
    if (key !== undefined && written !== undefined && programTable(part.type))
      workload.set(index, readThreads(written, where.at(key), rowsOf));
  });
  return workload;
}

/** Reports programs that no thread runs: they would never be checked. */
function checkPrograms(scenario: Scenario, root: Where, report: Report): void {
  const named = new Set<Value>();
  for (const threads of scenario.workload.values()) {
    for (const thread of threads) {
      if (!('program' in thread)) continue;
      const variable = variableOf(thread.program);
      if (variable === null) {
        named.add(thread.program);
        continue;
      }
      named.add(scenario.variables.get(variable)?.value ?? '');
      for (const axis of scenario.experiment?.axes ?? [])
        for (const value of axis.name === variable ? axis.values : (axis.also[variable] ?? []))
          named.add(value);
      for (const row of scenario.expect)
        if (row.quantity.kind === 'value') named.add(row.quantity.at[variable] ?? '');
      for (const row of scenario.requirements) named.add(row.at[variable] ?? '');
    }
  }
  for (const name of scenario.programs.keys())
    if (!named.has(name))
      report(root.at('programs', name).problem(`The program ${quote(name)} is never run.`, true));
}

/** Compiles the scenario with its own values and at every point of its experiment. */
function* checkPoints(
  scenario: Scenario,
  catalogue: Catalogue,
  root: Where,
  report: Report,
): Steps<void> {
  const found = new Set<string>();
  const note = (result: Result<unknown>, label: string) => {
    for (const one of result.ok ? [] : result.problems) {
      const key = `${one.pointer} ${one.line}`;
      if (found.has(key)) continue;
      found.add(key);
      report(label ? { ...one, message: `${one.message.replace(/\.$/, '')} (${label}).` } : one);
    }
  };
  const opened = compile(scenario, { catalogue });
  note(opened, '');
  if (opened.ok && scenario.view.fromPs > opened.value.untilPs)
    report(
      root
        .at('view', 'from')
        .problem('The scenario would open at a time later than "until", the end of its run.'),
    );
  const points = pointsOf(scenario);
  const rows = opened.ok ? opened.value.parts.flatMap(({ tables }) => tables.flat()).length : 0;
  if (rows * points.length > MAX.rowsOfPoints) {
    const work = `the ${points.length} points of this experiment run ${rows} rows each`;
    const rule = `Points times rows are at most ${MAX.rowsOfPoints}; ${work}.`;
    report(root.at('experiment').problem(rule));
    return;
  }
  for (const point of points) {
    const label = Object.entries(point.at)
      .map(([name, value]) => `${name} ${value}`)
      .join(', ');
    yield;
    note(compile(scenario, { catalogue, variables: point.variables }), `at ${label}`);
  }
}

class ScenarioReader {
  private readonly root: Where;
  private readonly catalogue: Catalogue;

  constructor(
    private readonly json: JsonText,
    private readonly file: ScenarioFile,
    private readonly options: LoadOptions,
    private readonly shapes: Shapes | null,
  ) {
    this.root = new Where(json, []);
    this.catalogue = options.catalogue ?? ENGINE_PARTS;
  }

  *read(): Steps<Result<Scenario>> {
    const { file, root, options } = this;
    const machines: MachineTexts = options.machines ?? new Map<string, string>();
    const at = root.at('machine');
    const shapes = this.shapes ?? KNOWN;
    const machine = readMachine(
      file.machine,
      at,
      this.catalogue,
      machines,
      shapes,
      options.forChecks,
    );
    if (!machine.ok) return machine;
    yield;
    const scenario = gather((report) =>
      this.sections({
        machine: machine.value,
        variables: readVariables(file.variables),
        report,
      }),
    );
    if (!scenario.ok) return scenario;
    const programs = gather((report) => checkPrograms(scenario.value, root, report));
    if (!programs.ok) return programs;
    yield;
    if (!this.shapes) return scenario;
    const { catalogue } = this;
    return yield* gatherInSteps(function* (report) {
      yield* checkPoints(scenario.value, catalogue, root, report);
      return scenario.value;
    });
  }

  private sections(context: LoadContext): Scenario {
    const { file, root } = this;
    const at = root.at('experiment');
    const variables = new Set(context.variables.keys());
    const budget = new RowBudget();
    const rows: Rows = (items, where) =>
      expandRows(items, where, { variables, report: context.report }, budget);
    const metrics = readMetrics(context, file.metrics, root.at('metrics'));
    const axes = readAxes(context, file.experiment, at);
    const more: ExperimentContext = { ...context, metrics, axes };
    return {
      id: this.options.id ?? '',
      text: this.json.text,
      title: file.title,
      summary: file.summary,
      system: file.system,
      machine: context.machine,
      variables: context.variables,
      programs: this.programs(rows),
      workload: readWorkload(context, file.workload, root.at('workload'), rows),
      until: { value: file.until, where: root.at('until') },
      seed: { value: file.seed ?? 1, where: root.at('seed') },
      metrics,
      experiment: file.experiment ? readExperiment(more, file.experiment, at) : null,
      expect: readExpect(more, file.expect, root.at('expect')),
      requirements: (file.expect ?? []).flatMap((row, i) =>
        isPlain(row) ? readRequirement(more, row, root.at('expect', i)) : [],
      ),
      beyondThird: file.beyondThird ?? [],
      unexplained: readUnexplained(more, file.unexplained, root.at('unexplained')),
      view: readView(context, file.view, root.at('view')),
      lesson: file.lesson ?? null,
    };
  }

  private programs(rowsOf: Rows): Map<string, TableRow[]> {
    const { programs } = this.file;
    return new Map(
      Object.entries(programs ?? {}).map(([name, rows]) => [
        name,
        rowsOf(rows, this.root.at('programs', name)),
      ]),
    );
  }
}

/**
 * First half of loading: checks the structure and returns the task that reads the rest. With `shapes` null the text
 * is known to be valid; neither its structure nor the points of its experiment are checked.
 */
export function shapeScenario(
  text: string,
  options: LoadOptions,
  shapes: Shapes | null,
): Result<ScenarioReader> {
  const json = readJson(text, options.file ?? '');
  if (!json.ok) return json;
  const shape = (shapes ?? KNOWN).scenario(json.value);
  if (!shape.ok) return shape;
  return success(new ScenarioReader(json.value, shape.value, options, shapes));
}
