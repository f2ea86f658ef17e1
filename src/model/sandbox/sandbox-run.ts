/**
 * Runs of the sandbox, step by step: line states read from the engine between two steps, and events from the trace.
 */
import type { Engine, Frame } from '../../engine/api';
import type { EventWord, PartName, ViewField, ViewName } from '../../engine/gen/names';
import {
  blockOf,
  type CoherentMachine,
  chainOf,
  coherentMachine,
  viewsOf,
} from '../coherence/coherence-roles';
import { type CompiledMachine, partNamed } from '../scenario/compiled';
import { createTrace, type Trace } from '../trace/trace';
import { ADDRESS, SANDBOX_LINES, type SandboxLine, STEP_PS } from './sandbox';

/** A copy of a line: the name of its state, and the step that wrote its value (0: initial value). */
export interface Copy {
  readonly state: string;
  readonly title: string;
  readonly value: number | null;
}

export interface LineNow {
  /** In the order of the processors. */
  readonly copies: readonly Copy[];
  readonly memory: number;
  readonly newest: number;
  /** A device may use it: the adapter has a translation. */
  readonly mapped: boolean;
  readonly translated: boolean;
}

/** An event of a step: its sentence, and its delay after the start of the step. */
export interface StepEvent {
  readonly seq: number;
  readonly part: number;
  readonly name: EventWord | '';
  readonly afterPs: number;
  readonly sentence: string;
  readonly address: number;
  /** The writes mentioned, as the steps that made them. */
  readonly writes: readonly number[];
}

export interface SandboxStepResult {
  readonly lines: Readonly<Record<SandboxLine, LineNow>>;
  readonly events: readonly StepEvent[];
  /** Names of violated invariants. */
  readonly broken: readonly string[];
  /** Number of events processed by the end of the step. */
  readonly done: number;
}

export interface SandboxRun {
  readonly machine: CompiledMachine;
  readonly trace: Trace;
  /** The step that made a write; 0 for initial data. */
  readonly madeBy: (write: number) => number;
  /** The first one is the initial state. */
  readonly steps: readonly SandboxStepResult[];
}

type Column = (part: number, view: ViewName, field: ViewField) => ArrayLike<number>;

const HALVES = 2;

function columnsOf({ machine }: CoherentMachine, frame: Frame): Column {
  return (part, view, field) => {
    const spec = machine.parts[part]?.type.views.findIndex(({ name }) => name === view) ?? -1;
    const fields = machine.parts[part]?.type.views[spec]?.fields ?? [];
    const data = frame.views.find((found) => found.part === part && found.view === spec);
    return data?.columns[fields.findIndex(({ name }) => name === field)] ?? [];
  };
}

/** Text of a value, by the step that made it. */
export const valueFrom = (step: number) =>
  step === 0 ? 'value from the start' : `value of step ${step}`;

/** The step of each write: a write belongs to the step after which it is first the newest. */
class Makers {
  private readonly steps = new Map([[0, 0]]);

  note(write: number, step: number): void {
    if (!this.steps.has(write)) this.steps.set(write, step);
  }

  of(write: number): number {
    return this.steps.get(write) ?? 0;
  }
}

const partOf = (machine: CompiledMachine, type: PartName) =>
  machine.parts.findIndex((part) => part.type.name === type);

/** Parts that the sandbox finds by name, because programs and parameters contain these names. */
const NAMED = {
  cpu0: 'processor',
  cpu1: 'processor',
  services: 'io_services',
  adapter: 'io_adapter',
  disk: 'dma_device',
} as const satisfies Record<string, PartName>;

/** Whether the sandbox supports a machine: each part that it needs exists once. */
export function isSandboxMachine(machine: CompiledMachine): boolean {
  const { caches, memory, tlb } = coherentMachine(machine);
  const areNamed = Object.entries(NAMED).every(
    ([name, type]) => partNamed(machine, name)?.type.name === type,
  );
  return areNamed && caches.length === 2 && memory !== null && tlb !== null;
}

class Reader {
  readonly roles: CoherentMachine;
  readonly makers = new Makers();
  private readonly services: number;

  constructor(private readonly machine: CompiledMachine) {
    this.roles = coherentMachine(machine);
    this.services = partOf(machine, 'io_services');
  }

  get views() {
    const { caches, memory, tlb } = this.roles;
    return viewsOf(this.roles, [
      ...caches.map(({ part }) => [part, 'lines', 'data'] as const),
      [memory?.part ?? -1, 'cells'],
      [tlb?.part ?? -1, 'tlb'],
      [this.services, 'mappings'],
    ]);
  }

  private cells(column: Column, line: SandboxLine, half = 0) {
    const { memory } = this.roles;
    const at = ((ADDRESS[line] - (memory?.from ?? 0)) / 32) * HALVES + half;
    const read = (field: ViewField) => column(memory?.part ?? -1, 'cells', field)[at] ?? 0;
    return { write: read('write'), newest: read('newest') };
  }

  /** Registers the steps of new writes; must be called before values are shown. */
  note(frame: Frame, step: number): void {
    const column = columnsOf(this.roles, frame);
    for (const line of SANDBOX_LINES)
      for (const half of [0, 1]) this.makers.note(this.cells(column, line, half).newest, step);
  }

  private copy(column: Column, cache: number, line: SandboxLine): Copy {
    const members = this.machine.parts[cache]?.type.enums.line ?? [];
    const [tags, states] = [column(cache, 'lines', 'tag'), column(cache, 'lines', 'state')];
    const wanted = ADDRESS[line] / 32 + 1;
    for (let i = 0; i < tags.length; i++) {
      const member = members[states[i] ?? 0];
      if (tags[i] !== wanted || !member || member.name === 'invalid') continue;
      const value = this.makers.of(column(cache, 'data', 'write')[i * HALVES] ?? 0);
      return { state: member.name, title: member.title, value };
    }
    return { state: 'invalid', title: 'no copy', value: null };
  }

  private line(column: Column, line: SandboxLine): LineNow {
    const { caches, tlb } = this.roles;
    const { write, newest } = this.cells(column, line);
    const row = SANDBOX_LINES.indexOf(line);
    const at = column(this.services, 'mappings', 'addr')[row] ?? 0;
    const held = (field: ViewField) =>
      tlb ? column(tlb.part, 'tlb', field)[chainOf(tlb, at)] : undefined;
    return {
      copies: caches.map(({ part }) => this.copy(column, part, line)),
      memory: this.makers.of(write),
      newest: this.makers.of(newest),
      mapped: column(this.services, 'mappings', 'live')[row] === 1,
      translated:
        at > 0 && tlb !== null && held('valid') === 1 && held('block') === blockOf(tlb, at),
    };
  }

  lines(frame: Frame): SandboxStepResult['lines'] {
    const column = columnsOf(this.roles, frame);
    return { A: this.line(column, 'A'), B: this.line(column, 'B') };
  }

  event(trace: Trace, seq: number, from: number): StepEvent {
    const record = trace.record(seq);
    const fields = trace.fields(seq);
    return {
      seq,
      part: record?.part ?? -1,
      name: trace.event(seq)?.name ?? '',
      afterPs: (record?.timePs ?? 0) - from,
      sentence: trace
        .sentence(seq)
        .replaceAll(/(\bthe older )?\bwrite (\d+)/g, (_, older: string | undefined, write) => {
          return `${older ?? 'the '}${valueFrom(this.makers.of(Number(write)))}`;
        }),
      address: fields.find(({ name }) => name === 'address')?.value ?? 0,
      writes: fields.filter(({ as }) => as === 'write').map(({ value }) => this.makers.of(value)),
    };
  }
}

/**
 * Runs of the sandbox on one engine. Each starts after the previous one has released the engine; a run replaced by
 * a newer one stops after its step and returns null.
 */
export function createSandboxRuns(engine: Engine) {
  let newest = 0;
  let before: Promise<unknown> = Promise.resolve();
  return (machine: CompiledMachine, steps: number): Promise<SandboxRun | null> => {
    const mine = ++newest;
    const isWanted = () => mine === newest;
    const run = before.then(() =>
      isWanted() ? sandboxRun(engine, machine, steps, isWanted) : null,
    );
    before = run.catch(() => undefined);
    return run;
  };
}

/** Runs the machine from its start and stops after each step; null if the run was replaced. */
async function sandboxRun(
  engine: Engine,
  machine: CompiledMachine,
  steps: number,
  isWanted: () => boolean,
): Promise<SandboxRun | null> {
  const reader = new Reader(machine);
  const trace = createTrace(machine);
  await engine.open({ config: machine.config, commands: [] });
  const found: SandboxStepResult[] = [];
  const watcher = partOf(machine, 'watcher');
  for (let step = 0; step <= steps; step++) {
    if (!isWanted()) return null;
    const untilPs = (step + 1) * STEP_PS - 1;
    await engine.run({ untilPs });
    const request = { fromSeq: trace.last + 1, max: 16_384 };
    const frame = await engine.frame({ views: reader.views, trace: request });
    const first = trace.last + 1;
    if (frame.trace) trace.append(frame.trace);
    reader.note(frame, step);
    const seqs = Array.from({ length: trace.last - first + 1 }, (_, i) => first + i);
    const events = seqs.map((seq) => reader.event(trace, seq, step * STEP_PS));
    const broken = seqs
      .filter((seq) => trace.record(seq)?.part === watcher)
      .map((seq) => {
        const invariant = trace.fields(seq).find(({ name }) => name === 'invariant')?.value ?? 0;
        return machine.parts[watcher]?.type.enums.invariant?.[invariant]?.name ?? '';
      });
    found.push({ lines: reader.lines(frame), events, broken, done: frame.events });
    engine.release(frame);
  }
  return { machine, trace, madeBy: (write) => reader.makers.of(write), steps: found };
}
