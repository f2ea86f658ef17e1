/** `busyard run`: runs a scenario and prints its final state. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { plainNumber } from '../base/format';
import { type Engine, EngineError, type RunResult, type SessionSpec } from '../engine/api';
import { createLocalEngine } from '../engine/inprocess';
import { lint } from '../model/lint/lint';
import { DEFAULT_TRACE_LOG2 } from '../model/scenario/compile';
import type { CompiledMachine } from '../model/scenario/compiled';
import { refusedAt } from '../model/scenario/engine-errors';
import { metricValue } from '../model/scenario/experiment';
import type { Scenario } from '../model/scenario/scenario-types';
import { lessonFile } from '../model/scenario/scenarios';
import { blockedThreads } from '../model/session/blocked-threads';
import { engineCommands } from '../model/session/commands';
import { findInRun } from '../model/session/run-search';
import { QueryError } from '../model/trace/event-query';
import { type EventSearch, eventSearch } from '../model/trace/event-search';
import { fileCommand, JSON_OPTION, RUN_OPTIONS, untilPs } from './arguments';
import { type Input, machineOf, readInput } from './input';
import { counting, warn, write, writeJson } from './output';
import { Refusal, refusalOf } from './refusal';

export const sessionOf = (input: Input, machine: CompiledMachine): SessionSpec => ({
  config: machine.config,
  commands: engineCommands(machine, input.saved?.document.commands ?? []),
});

/** The search for the query of an option. */
export function searchOf(option: string, query: string, machine: CompiledMachine): EventSearch {
  try {
    const search = eventSearch(query, machine);
    if (search) return search;
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    throw new Refusal(`${option}: at character ${error.place.from + 1}: ${error.message}`);
  }
  throw new Refusal(`${option} needs a query.`);
}

/** An event at which a run was stopped. */
interface Stopped {
  readonly seq: number;
  readonly time_ps: number;
  readonly text: string;
}

/** The first event that a query finds, on an engine of its own; null if there is none. */
async function firstFound(
  input: Input,
  machine: CompiledMachine,
  search: EventSearch,
  untilPs: number,
): Promise<Stopped | null> {
  const engine = await openRun(input, machine);
  const searched = { machine, search, session: sessionOf(input, machine), listed: 'all' } as const;
  try {
    for await (const { trace, found } of findInRun(engine, { ...searched, end: { untilPs } })) {
      const [seq] = found;
      if (seq !== undefined) return { seq, time_ps: trace.timeOf(seq), text: trace.sentence(seq) };
    }
    return null;
  } finally {
    engine.dispose();
  }
}

/** Opens a session on a new engine. */
export async function openRun(input: Input, machine: CompiledMachine): Promise<Engine> {
  const engine = await createLocalEngine();
  try {
    await engine.open(sessionOf(input, machine));
  } catch (error) {
    if (error instanceof EngineError) throw refusalOf([refusedAt(machine, error)]);
    throw error;
  }
  return engine;
}

type Counters = Readonly<Record<string, Readonly<Record<string, number>>>>;

function countersByPart(machine: CompiledMachine, counters: readonly Float64Array[]): Counters {
  return Object.fromEntries(
    machine.parts.map((part, i) => [
      part.name,
      Object.fromEntries(
        part.type.counters.map((counter, j) => [counter.name, counters[i]?.[j] ?? 0]),
      ),
    ]),
  );
}

/** Number of blocked threads by processor; processors without any are left out. */
async function waitingOf(
  engine: Engine,
  machine: CompiledMachine,
): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {};
  for (const { part } of await blockedThreads(engine, machine)) {
    const name = machine.parts[part]?.name ?? '';
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

function metricsOf(
  scenario: Scenario,
  machine: CompiledMachine,
  counters: readonly Float64Array[],
): Readonly<Record<string, number | null>> {
  const values = [...scenario.metrics.values()].map(
    (metric) => [metric.name, metricValue(metric, machine.variables, counters)] as const,
  );
  return Object.fromEntries(values);
}

interface RunReport {
  readonly scenario: string;
  readonly hash: string;
  readonly events: number;
  readonly time_ps: number;
  readonly reason: string;
  /** With a condition to stop at: the event that met it, or null. */
  readonly stopped?: Stopped | null;
  /** Blocked threads by processor, if the run ended in a deadlock. */
  readonly waiting: Readonly<Record<string, number>>;
  readonly metrics: Readonly<Record<string, number | null>>;
  readonly counters: Counters;
  readonly wall_ms: number;
}

function plain(scenario: Scenario, report: RunReport): string {
  const lines = [
    scenario.title,
    `  ended after ${report.events} events at ${report.time_ps} ps (${report.reason})`,
    `  hash ${report.hash}`,
  ];
  if (report.stopped)
    lines.push(`  stopped at event ${report.stopped.seq}: ${report.stopped.text}`);
  for (const [name, threads] of Object.entries(report.waiting))
    lines.push(
      `  ${name}: deadlock: ${threads} ${threads === 1 ? 'thread is' : 'threads are'} blocked and no event is pending`,
    );
  for (const [name, value] of Object.entries(report.metrics)) {
    const { title = name, unit = '' } = scenario.metrics.get(name) ?? {};
    lines.push(`  ${title}: ${value === null ? 'none' : `${plainNumber(value, 6)} ${unit}`}`);
  }
  for (const [part, counters] of Object.entries(report.counters)) {
    const counted = Object.entries(counters).filter(([, value]) => value !== 0);
    if (counted.length === 0) continue;
    lines.push(`  ${part}: ${counted.map(([name, value]) => `${name} ${value}`).join(', ')}`);
  }
  return `${lines.join('\n')}\n`;
}

/** Events between two checks of the run. */
const PIECE = 1 << 20;
/** Runs of more events print a message even without a progress line. */
const LONG = 1 << 27;

/** Runs to the end; reports progress of long runs. */
async function runTo(engine: Engine, end: number): Promise<RunResult> {
  const count = counting();
  const of = Number.isSafeInteger(end) ? ` of ${end}` : '';
  for (let untilEvents = PIECE; ; untilEvents += PIECE) {
    const result = await engine.run({ untilPs: end, untilEvents });
    if (result.reason !== 'events') {
      count(null);
      return result;
    }
    const far = `${result.events} events so far, up to ${result.timePs}${of} ps`;
    count(far);
    if (untilEvents === LONG) warn(`A long run: ${far}. Use --until to end earlier.`);
  }
}

/** A run does not need the lesson of its scenario, but a missing one is worth a message. */
function warnMissingLesson({ scenario, saved }: Input, file: string): void {
  const lesson = lessonFile(scenario.lesson);
  if (lesson === null || saved || !existsSync(file)) return;
  if (!existsSync(join(dirname(file), lesson)))
    warn(`The lesson of ${file}, ${lesson}, is not in the same folder.`);
}

const SPEC = {
  name: 'run',
  summary:
    'Runs a scenario and prints where it ended: state hash, events, time, metrics, counters.',
  options: {
    ...RUN_OPTIONS,
    stop: {
      value: 'query',
      help: 'end at the first event that a query finds (docs/queries.md)',
    },
    json: JSON_OPTION,
  },
} as const;

export const run = fileCommand(SPEC, async (values, file) => {
  const input = await readInput(file);
  warnMissingLesson(input, file);
  const machine = machineOf(input, values, 0);
  for (const { message } of lint(machine)) warn(`warning: ${message}`);
  const engine = await openRun(input, machine);
  const began = performance.now();
  const untilEnd = untilPs(values.until, machine);
  const stopped =
    values.stop === undefined
      ? undefined
      : await firstFound(
          input,
          machineOf(input, values, DEFAULT_TRACE_LOG2),
          searchOf('--stop', values.stop, machine),
          untilEnd,
        );
  if (stopped === null) warn('--stop: no event was found; the run went to its end.');
  const end = await runTo(engine, stopped?.time_ps ?? untilEnd);
  const wallMs = performance.now() - began;
  const { counters } = await engine.frame({ views: [] });
  const report: RunReport = {
    scenario: input.scenario.id,
    hash: await engine.hash(),
    events: end.events,
    time_ps: end.timePs,
    reason: end.reason,
    ...(stopped === undefined ? {} : { stopped }),
    waiting: end.reason === 'idle' ? await waitingOf(engine, machine) : {},
    metrics: metricsOf(input.scenario, machine, counters),
    counters: countersByPart(machine, counters),
    wall_ms: Math.round(wallMs * 1000) / 1000,
  };
  engine.dispose();
  if (values.json) await writeJson(report);
  else await write([plain(input.scenario, report)]);
  return 0;
});
