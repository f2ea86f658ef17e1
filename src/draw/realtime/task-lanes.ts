/** Each thread's lane: when it ran or was ready, which packet it processed, which job was late. */
import { integer } from '../../base/format';
import type { RealTimeLog } from '../../model/realtime/realtime-log';
import { READY, type Task } from '../../model/realtime/task-log';
import type { CompiledMachine } from '../../model/scenario/compiled';
import type { Span } from '../../model/trace/lane';
import type { TimelineLane, TimelineSpan } from '../run/timeline';
import type { Window } from '../run/timeline-axis';

/** Network work has one hue on every processor. */
const NETWORK: ReadonlySet<string> = new Set(['interrupt', 'protocol', 'carry', 'message']);
/** Label of a bar that belongs to a packet. */
const IN_HAND: Readonly<
  Record<string, { readonly name: string; readonly step: 'taken' | 'accepted' }>
> = {
  protocol: { name: 'TCP/IP', step: 'taken' },
  decode: { name: 'packet', step: 'accepted' },
};

function wireLane(log: RealTimeLog, machine: CompiledMachine, window: Window): TimelineLane[] {
  const { adapter } = log.roles;
  if (adapter === null) return [];
  const spans = log.packets.packets.flatMap(
    ({ packet, from, arrived, isLost, seq }): TimelineSpan[] => {
      const to = isLost ? from : (arrived?.timePs ?? Number.POSITIVE_INFINITY);
      if (to < window.from || from > window.to || to === from) return [];
      const label = `packet ${integer(packet)}`;
      return [{ from, to, style: 'solid', title: `${label} arrives`, label, actor: 'lan', seq }];
    },
  );
  const title = machine.parts[adapter]?.title ?? 'wire';
  return [{ id: 'wire', part: adapter, title, actor: 'lan', spans }];
}

function barOf(log: RealTimeLog, task: Task, { state, from, to, seq }: Span): TimelineSpan {
  const known = IN_HAND[state.name];
  const packet = known && log.packets.lastTaken(task.cpu.number, known.step, from);
  const label = packet ? `${known.name} ${integer(packet)}` : state.title;
  const actor = NETWORK.has(state.name) ? 'lan' : 'cpu';
  const title = packet ? `${state.title}, packet ${integer(packet)}` : state.title;
  return { from, to, style: state.style, title, label, actor, seq };
}

interface LaneOptions {
  /** More lanes are not wanted: then one for each processor. */
  readonly most?: number;
  /** The open question asks which jobs are late. */
  readonly hidesLate?: boolean;
}

/** Each job from release to end; late jobs are marked. */
function jobLane(
  log: RealTimeLog,
  task: Task,
  window: Window,
  { hidesLate = false }: LaneOptions,
): TimelineLane[] {
  const jobs = log.responses.filter((one) => one.kind === 'job' && one.task === task);
  if (jobs.length === 0) return [];
  const spans = jobs.flatMap(({ from, to, missed, title, seq }): TimelineSpan[] =>
    to < window.from || from > window.to
      ? []
      : [
          {
            from,
            to,
            style: missed && !hidesLate ? 'blocked' : 'line',
            title: hidesLate ? title : `${title}, ${missed ? 'late' : 'in time'}`,
            label: missed && !hidesLate ? 'late' : '',
            actor: 'cpu',
            seq,
          },
        ],
  );
  const title = `${task.name} due`;
  return [
    { id: `jobs ${task.cpu.part} ${task.thread}`, part: task.cpu.part, title, actor: 'os', spans },
  ];
}

/** A lane for each thread, or for each processor. */
export function taskLanes(
  log: RealTimeLog,
  machine: CompiledMachine,
  window: Window,
  options: LaneOptions = {},
): TimelineLane[] {
  const wire = wireLane(log, machine, window);
  const rows = threadLanes(log, window, options);
  const { most = Number.POSITIVE_INFINITY } = options;
  if (wire.length + rows.length <= most) return [...wire, ...rows];
  const own: NamedRun = { letter: '', log, machine, deadline: null };
  return [...wire, ...busyCpus(own).map((part) => cpuLane(own, part, window))];
}

/** "I/O" of an I/O processor: there is little room beside the lanes. */
const shortTitle = (title: string): string => title.replace(/ processor$/, '');

/** Processors that have run a thread. */
const busyCpus = ({ log }: NamedRun): number[] =>
  log.roles.cpus
    .map(({ part }) => part)
    .filter((part) => log.tasks.tasks.some((one) => one.cpu.part === part && one.hasRun));

function threadLanes(log: RealTimeLog, window: Window, options: LaneOptions): TimelineLane[] {
  const alone = log.roles.cpus.length === 1;
  return log.tasks.tasks
    .filter((task) => task.hasRun)
    .flatMap((task): TimelineLane[] => {
      const { cpu, thread, name, lane } = task;
      const spans = lane.between(window.from, window.to).map((span) => barOf(log, task, span));
      const title = alone ? name : `${shortTitle(cpu.title)}: ${name}`;
      const id = `${cpu.part} ${thread}`;
      return [
        { id, part: cpu.part, title, actor: 'cpu', spans },
        ...jobLane(log, task, window, options),
      ];
    });
}

/** One of several runs in a drawing. */
export interface NamedRun {
  /** "A" */
  readonly letter: string;
  readonly log: RealTimeLog;
  readonly machine: CompiledMachine;
  /** Deadline of packets; null if there is none. */
  readonly deadline: number | null;
}

/** The threads of a processor on one lane, since one runs at a time. */
export function cpuLane(
  { letter, log, machine }: NamedRun,
  part: number,
  window: Window,
): TimelineLane {
  const spans = log.tasks.tasks
    .filter((task) => task.cpu.part === part)
    .flatMap((task) =>
      task.lane
        .between(window.from, window.to)
        .filter(({ state }) => state.name !== READY.name)
        .map((span) => {
          const bar = barOf(log, task, span);
          const isNamed = bar.title !== span.state.title || task.isHandler;
          return isNamed ? bar : { ...bar, label: task.name, title: `${task.name}: ${bar.title}` };
        }),
    )
    .toSorted((a, b) => a.from - b.from);
  const title = `${letter} ${machine.parts[part]?.name ?? ''}`.trim();
  return { id: `${letter} ${part}`, part, title, actor: 'cpu', spans };
}

/** When late packets were in flight, and how many. */
function lateLane({ letter, log, deadline }: NamedRun, window: Window): TimelineLane[] {
  if (deadline === null) return [];
  const late = log.responses
    .filter(({ kind, missed }) => kind === 'packet' && missed)
    .map(({ from, to, title, seq }) => ({ from: from + deadline, to, title, seq }))
    .toSorted((a, b) => a.from - b.from);
  const runs: { from: number; to: number; titles: string[]; seq: number }[] = [];
  for (const { from, to, title, seq } of late) {
    const last = runs.at(-1);
    if (last && from <= last.to) {
      last.to = Math.max(last.to, to);
      last.titles.push(title);
    } else runs.push({ from, to, titles: [title], seq });
  }
  const spans = runs
    .filter(({ from, to }) => to >= window.from && from <= window.to)
    .map(({ from, to, titles, seq }): TimelineSpan => {
      const [first = '', last = ''] = [titles[0], titles.at(-1)];
      const packets = titles.length > 1 ? `${first} to ${last.replace('packet ', '')}` : first;
      return {
        from,
        to,
        style: 'blocked',
        title: `${packets}: late`,
        label: packets,
        actor: 'cpu',
        seq,
      };
    });
  const part = log.roles.stack ?? log.roles.kernel;
  return [{ id: `${letter} late`, part, title: `${letter} late`, actor: 'os', spans }];
}

/** Two or more runs on one time axis: the wire they share, then for each run a lane per active processor. */
export function comparisonLanes(runs: readonly NamedRun[], window: Window): TimelineLane[] {
  const [first] = runs;
  return [
    ...(first ? wireLane(first.log, first.machine, window) : []),
    ...runs.flatMap((run) => [
      ...busyCpus(run).map((part) => cpuLane(run, part, window)),
      ...lateLane(run, window),
    ]),
  ];
}

/** The state of every thread at a time, as sentences. */
export function taskSentences(
  log: RealTimeLog,
  machine: CompiledMachine,
  timePs: number,
  options: LaneOptions = {},
): string[] {
  const window = { from: timePs, to: timePs + 1 };
  return laneSentences(taskLanes(log, machine, window, options), timePs);
}

/** The state of each lane at a time. */
export function laneSentences(lanes: readonly TimelineLane[], timePs: number): string[] {
  return lanes.map(({ title, spans }) => {
    const now = spans.find(({ from, to }) => from <= timePs && to > timePs);
    return `${title}: ${now?.title ?? 'nothing'}.`;
  });
}
