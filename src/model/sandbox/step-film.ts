/**
 * One step of the sandbox as a film of 0.9 s, made from the events of the run. A film is a pure function of its time.
 *
 *     0      250     450          800   900 ms
 *     |request|answers|    data    |change|
 *
 * A phase without an event keeps its time and says that nothing happens.
 */
import { clamp } from '../../base/geometry';
import { ADDRESS, type SandboxStep } from './sandbox';
import type { LineNow, SandboxRun, StepEvent } from './sandbox-run';
import { changes, titleOf } from './sandbox-text';

export const STEP_FILM_MS = 900;

export const FILM_PHASES = ['request', 'answers', 'data', 'change'] as const;
export type FilmPhase = (typeof FILM_PHASES)[number];

/** End of each phase in milliseconds. */
const ENDS: Readonly<Record<FilmPhase, number>> = {
  request: 250,
  answers: 450,
  data: 800,
  change: STEP_FILM_MS,
};

export type FilmPlace = 'cpu0' | 'cpu1' | 'memory' | 'disk';

/** A flag on the bus. */
export interface FilmPacket {
  readonly from: FilmPlace;
  readonly to: FilmPlace;
  readonly text: string;
}

export interface FilmAnswer {
  readonly place: FilmPlace;
  readonly text: string;
  /** Whether it gives something up or supplies data. */
  readonly acts: boolean;
}

export interface StepFilm {
  readonly title: string;
  readonly request: FilmPacket | null;
  readonly answers: readonly FilmAnswer[];
  readonly data: FilmPacket | null;
  /** The processor whose copy is in flight until the change. */
  readonly awaits: FilmPlace | null;
  /** One sentence for each phase, and its time after the start of the step. */
  readonly rows: readonly { readonly text: string; readonly afterPs: number | null }[];
}

/** A moment of the film: its phase, and how much of each phase has passed. */
export interface FilmMoment {
  readonly phase: FilmPhase | 'over';
  readonly share: Readonly<Record<FilmPhase, number>>;
}

export function filmMoment(ms: number): FilmMoment {
  let start = 0;
  const share = { request: 0, answers: 0, data: 0, change: 0 };
  for (const phase of FILM_PHASES) {
    share[phase] = clamp((ms - start) / (ENDS[phase] - start), 0, 1);
    start = ENDS[phase];
  }
  return { phase: FILM_PHASES.find((phase) => ms < ENDS[phase]) ?? 'over', share };
}

const PLACES: Readonly<Record<string, FilmPlace>> = {
  cache0: 'cpu0',
  cache1: 'cpu1',
  adapter: 'disk',
  disk: 'disk',
  memory: 'memory',
};

const PLACE_NAMES: Readonly<Record<FilmPlace, string>> = {
  cpu0: 'CPU 0',
  cpu1: 'CPU 1',
  memory: 'memory',
  disk: 'disk',
};

const READS = new Set(['read_shared', 'read_private', 'read_noncoherent']);
const ANSWERS = new Set(['c2c_data', 'return', 'write_back']);
const SNOOPED = new Set([
  'read_shared',
  'read_private',
  'write32',
  'write16_purge',
  'flush',
  'purge',
]);

/** A transaction about the line of a step. */
interface Transaction {
  readonly type: string;
  readonly title: string;
  readonly master: FilmPlace | null;
  readonly afterPs: number;
}

/** What a step does on the bus and in the caches, about its line. */
class LineEvents {
  readonly transactions: readonly Transaction[];

  constructor(
    private readonly run: SandboxRun,
    private readonly events: readonly StepEvent[],
  ) {
    this.transactions = events.flatMap((event) =>
      event.name === 'start' && this.part(event) === 'runway' ? [this.transaction(event)] : [],
    );
  }

  private part({ part }: StepEvent): string {
    return this.run.machine.parts[part]?.name ?? '';
  }

  private transaction({ seq, afterPs }: StepEvent): Transaction {
    const { trace, machine } = this.run;
    const fields = trace.fields(seq);
    const field = (name: string) => fields.find((one) => one.name === name);
    const runway = machine.parts.find(({ name }) => name === 'runway');
    const member = runway?.type.enums.type?.[field('type')?.value ?? 0];
    const master = machine.parts[field('master')?.part ?? -1]?.name ?? '';
    return {
      type: member?.name ?? '',
      title: member?.title ?? '',
      master: PLACES[master] ?? null,
      afterPs,
    };
  }

  /** The first event of a cache with one of these names. */
  of(place: FilmPlace, ...names: readonly string[]): StepEvent | undefined {
    return this.events.find(
      (event) => names.includes(event.name) && PLACES[this.part(event)] === place,
    );
  }
}

const CPUS = ['cpu0', 'cpu1'] as const;

function answersOf(
  request: Transaction,
  data: Transaction | undefined,
  own: LineEvents,
  was: LineNow,
) {
  const answers: FilmAnswer[] = CPUS.flatMap((place, cpu): FilmAnswer[] => {
    if (place === request.master) return [];
    if (!SNOOPED.has(request.type)) return [{ place, text: 'not asked', acts: false }];
    if (own.of(place, 'copied')) return [{ place, text: 'COPY', acts: true }];
    if (data?.type === 'write_back' && data.master === place)
      return [{ place, text: 'writes back', acts: true }];
    if (own.of(place, 'discarded')) return [{ place, text: 'drops it', acts: true }];
    if (own.of(place, 'row')) return [{ place, text: 'OK, gives it up', acts: true }];
    const had = was.copies[cpu]?.value != null;
    return [{ place, text: had ? 'OK, keeps it' : 'OK, no copy', acts: false }];
  });
  const isRead = READS.has(request.type);
  const held = isRead && data?.type === 'c2c_data';
  const text = held ? 'held back' : isRead ? 'reads the line' : 'no data asked';
  return [...answers, { place: 'memory', text, acts: isRead && !held } as const];
}

/** The data of a transaction: a reply, a line written back, or what a device writes. */
function dataOf(
  request: Transaction,
  reply: Transaction | undefined,
  value: string,
): FilmPacket | null {
  const requester = request.master ?? 'disk';
  if (reply?.type === 'c2c_data')
    return { from: reply.master ?? 'memory', to: requester, text: value };
  if (reply?.type === 'return') return { from: 'memory', to: requester, text: value };
  if (reply?.type === 'write_back')
    return { from: reply.master ?? requester, to: 'memory', text: value };
  const isWrite = !READS.has(request.type) && request.type !== 'flush' && request.type !== 'purge';
  return isWrite ? { from: requester, to: 'memory', text: value } : null;
}

/** The value that moves, as the sandbox names values: by the step that wrote it. */
function valueMoved(
  { who, line }: SandboxStep,
  request: Transaction,
  reply: Transaction | undefined,
  [was, now]: readonly [LineNow, LineNow],
  got: number | undefined,
): string {
  const moved = (): number => {
    if (reply?.type === 'write_back' || !READS.has(request.type)) return now.memory;
    if (who === 'disk') return got ?? now.memory;
    const supplier = reply?.type === 'c2c_data' && reply.master === 'cpu1' ? 1 : 0;
    return reply?.type === 'c2c_data' ? (was.copies[supplier]?.value ?? now.memory) : was.memory;
  };
  return `${line} = ${moved()}`;
}

function answerText(request: Transaction, answers: readonly FilmAnswer[]): string {
  if (!SNOOPED.has(request.type)) return 'no cache is asked';
  const acting = answers.filter(({ place, acts }) => acts && place !== 'memory');
  if (acting.length === 0) return 'no other cache has to act';
  return acting.map(({ place, text }) => `${PLACE_NAMES[place]}: ${text}`).join(', ');
}

/** The film of a step; null for the initial state. */
export function stepFilm(
  run: SandboxRun,
  sandboxSteps: readonly SandboxStep[],
  step: number,
): StepFilm | null {
  const sandboxStep = sandboxSteps[step - 1];
  const [before, after] = [run.steps[step - 1], run.steps[step]];
  if (!sandboxStep || !before || !after) return null;
  const { line } = sandboxStep;
  const [was, now] = [before.lines[line], after.lines[line]];
  const own = new LineEvents(
    run,
    after.events.filter(({ address, name, part }) => {
      const isHere = Math.floor(address / 32) === Math.floor(ADDRESS[line] / 32);
      return isHere || (name === 'discarded' && part >= 0);
    }),
  );
  const request = own.transactions.find(({ type }) => !ANSWERS.has(type));
  const reply = own.transactions.find(
    ({ type, afterPs }) => ANSWERS.has(type) && afterPs >= (request?.afterPs ?? 0),
  );
  const title = titleOf(sandboxStep);
  const changed = changes(was, now).join(', ') || 'no copy changes';
  const last = { text: changed, afterPs: null };
  if (!request) {
    const text = `no transaction about line ${line}`;
    const rows = [text, 'no cache is asked', 'no data crosses the bus'];
    return {
      title,
      request: null,
      answers: [],
      data: null,
      awaits: null,
      rows: [...rows.map((one) => ({ text: one, afterPs: null })), last],
    };
  }
  const requester = request.master ?? 'disk';
  const answers = answersOf(request, reply, own, was);
  const read = after.events.find(
    ({ name, part }) => name === 'read' && run.machine.parts[part]?.name === 'disk',
  );
  const value = valueMoved(sandboxStep, request, reply, [was, now], read?.writes[0]);
  const data = dataOf(request, reply, value);
  const respondedPs = CPUS.map((place) => own.of(place, 'row', 'copied')?.afterPs ?? null).find(
    (ps) => ps !== null,
  );
  return {
    title,
    request: {
      from: requester,
      to: requester === 'cpu0' ? 'cpu1' : requester === 'cpu1' ? 'cpu0' : 'memory',
      text: request.title,
    },
    answers,
    data,
    awaits: READS.has(request.type) && requester !== 'disk' ? requester : null,
    rows: [
      { text: `${PLACE_NAMES[requester]} sends ${request.title}`, afterPs: request.afterPs },
      { text: answerText(request, answers), afterPs: respondedPs ?? null },
      {
        text: data ? `${PLACE_NAMES[data.from]} sends ${data.text}` : 'no data crosses the bus',
        afterPs: data ? (reply?.afterPs ?? request.afterPs) : null,
      },
      last,
    ],
  };
}
