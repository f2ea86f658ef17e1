/** A fake engine for tests of the player: event n happens at n x 10 ns. */
import type {
  Command,
  Engine,
  Frame,
  FrameRequest,
  OverviewSample,
  Position,
  RunLimit,
  RunResult,
  SessionSpec,
  TraceChunk,
} from '../../engine/api';
import type { PartType } from '../../engine/manifest';
import { Player } from './player';
import type { PlayedMachine, PlayedSession } from './player-types';
import type { RecordKeeper } from './recorder';

export const TICK = 10_000;
export const EVENTS = 500;
/** A name that no manifest has. */
const invented = (name: string) => name as never;

/** Kinds of the only part's events; a silent event leaves no record. */
const DETAIL = 1;
export const NOTABLE = 2;
const BUS_STARTS = 3;

const event = (kind: number, level: string, set: string | null) => ({
  kind,
  name: invented(`kind ${kind}`),
  fields: [],
  text: '',
  lane: { track: 'bus' as const, set },
  level,
});

export const BUS: PartType = {
  id: 0,
  layer: 'parts',
  name: invented('bus'),
  title: 'Bus',
  actor: 'bus',
  doc: '',
  constants: {},
  enums: {},
  params: [],
  counters: [],
  tables: [],
  views: ['now', 'past'].map((name) => ({ name: invented(name), doc: '', fields: [] })),
  tracks: [],
  ports: [],
  events: [
    event(DETAIL, 'detail', null),
    event(NOTABLE, 'notable', null),
    event(BUS_STARTS, 'detail', 'write'),
  ],
};

/** Every third event is silent. Of the others every tenth is notable and every fourth starts a transaction. */
const kindOf = (events: number): number => {
  if (events % 3 === 0) return 0;
  if (events % 10 === 0) return NOTABLE;
  return events % 4 === 0 ? BUS_STARTS : DETAIL;
};

const seqAt = (events: number): number => {
  let seq = 0;
  for (let i = 1; i <= events; i++) if (kindOf(i) !== 0) seq++;
  return seq;
};

class FakeEngine implements Engine {
  events = 0;
  session: SessionSpec | null = null;
  commands: readonly Command[] = [];
  released = 0;
  /** Views requested with the last frame. */
  asked: FrameRequest['views'] = [];
  readonly calls: string[] = [];
  refuse: string | null = null;
  /** Runs after an event wait for this. */
  held: { readonly afterEvents: number; readonly until: Promise<void> } | null = null;
  /** Number of events of the run: a parameter in the session's first byte. */
  private get length(): number {
    return this.session?.config[0] ? this.session.config[0] * 100 : EVENTS;
  }

  private at(events: number): Position {
    this.events = Math.max(0, Math.min(events, this.length));
    return { timePs: this.events * TICK, events: this.events, seq: seqAt(this.events) };
  }

  async open(session: SessionSpec): Promise<Position> {
    this.calls.push('open');
    if (this.refuse) throw new Error(this.refuse);
    this.session = session;
    this.commands = session.commands;
    return this.at(0);
  }

  async run({ untilPs = Infinity, untilEvents = Infinity }: RunLimit): Promise<RunResult> {
    if (this.held && this.events >= this.held.afterEvents) await this.held.until;
    const byTime = Math.floor(untilPs / TICK);
    const to = Math.min(byTime, untilEvents, this.length);
    const reason = to === untilEvents ? 'events' : to === byTime ? 'until' : 'idle';
    return { ...this.at(Math.max(this.events, to)), reason };
  }

  async seekEvents(events: number): Promise<Position> {
    this.calls.push(`events ${events}`);
    return this.at(events);
  }

  async seekTime(timePs: number): Promise<Position> {
    this.calls.push(`time ${timePs}`);
    return this.at(Math.floor(timePs / TICK));
  }

  async setCommands(commands: readonly Command[]): Promise<Position> {
    this.calls.push('commands');
    this.commands = commands;
    return this.at(this.events);
  }

  async frame({ trace, views }: FrameRequest): Promise<Frame> {
    this.asked = views;
    const position = this.at(this.events);
    const chunk = trace ? this.chunk(trace.fromSeq, trace.max, position.seq) : null;
    return { ...position, counters: [Float64Array.of(this.events)], views: [], trace: chunk };
  }

  private chunk(fromSeq: number, max: number, newest: number): TraceChunk {
    const rows: { time: number; kind: number }[] = [];
    for (let events = 1, seq = 0; events <= this.events; events++) {
      if (kindOf(events) === 0 || ++seq < fromSeq || rows.length >= max || seq > newest) continue;
      rows.push({ time: events * TICK, kind: kindOf(events) });
    }
    return {
      firstSeq: fromSeq,
      lost: 0,
      length: rows.length,
      timePs: Float64Array.from(rows, (row) => row.time),
      kind: Uint16Array.from(rows, (row) => row.kind),
      cause: new Uint32Array(rows.length),
      part: new Uint16Array(rows.length),
      a: new BigUint64Array(rows.length),
      b: new Uint32Array(rows.length),
      c: new Uint32Array(rows.length),
    };
  }

  release(): void {
    this.released++;
  }

  async overview(): Promise<readonly OverviewSample[]> {
    return [{ ...this.at(this.events), counters: Float64Array.of(this.events) }];
  }

  async hash(): Promise<string> {
    return this.events.toString(16).padStart(16, '0');
  }

  async choices(): Promise<Uint32Array> {
    return new Uint32Array();
  }

  async sweep(): Promise<'done'> {
    return 'done';
  }

  cancel(): void {}

  dispose(): void {}
}

class FakeTrace implements RecordKeeper {
  private readonly kept: { readonly timePs: number; readonly kind: number }[] = [];
  readonly first = 1;

  get last(): number {
    return this.kept.length;
  }

  append({ timePs, kind }: TraceChunk): void {
    timePs.forEach((time, i) => {
      this.kept.push({ timePs: time, kind: kind[i] ?? 0 });
    });
  }

  dropAfter(): void {}

  record(seq: number) {
    return this.kept[seq - 1] ?? null;
  }
}

/** A player with two fake engines and a manual clock. */
export function testPlayer() {
  const engines: FakeEngine[] = [];
  const ticks = new Set<(time: { now: number; elapsed: number }) => void>();
  const player = new Player({
    createEngine: () => {
      const engine = new FakeEngine();
      engines.push(engine);
      return engine;
    },
    tell: (error) => (error instanceof Error ? error.message : String(error)),
    createTrace: () => new FakeTrace(),
    stuck: async () => [],
    loop: {
      every(_phase, callback) {
        ticks.add(callback);
        return () => ticks.delete(callback);
      },
    },
  });
  const [machine, ahead] = engines as [FakeEngine, FakeEngine];
  const tick = (elapsed: number) => {
    for (const callback of [...ticks]) callback({ now: 0, elapsed });
  };
  return { player, machine, ahead, tick };
}

/** A session whose first byte is the length of the run in hundreds of events. */
export const sessionOf = (
  length = 0,
  changes: Partial<PlayedSession<PlayedMachine>> = {},
): PlayedSession<PlayedMachine> => ({
  id: 'one',
  machine: { config: Uint8Array.of(length), untilPs: EVENTS * TICK, parts: [{ type: BUS }] },
  commands: [],
  ...changes,
});

/** Waits until all pending work is done. */
export async function rest(): Promise<void> {
  for (let i = 0; i < 200; i++) await Promise.resolve();
}
