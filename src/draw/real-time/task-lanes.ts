/** What each thread did, a lane for each: who ran, who was ready meanwhile, which packet was in hand, which job was late. */
import { integer } from '../../base/format';
import type { RealTimeLog } from '../../model/real-time/log';
import type { Task } from '../../model/real-time/task-log';
import type { Span } from '../../model/run/lane';
import type { CompiledMachine } from '../../model/scenario/compile';
import type { TimelineLane, TimelineSpan } from '../run/timeline';
import type { Window } from '../run/timeline-axis';

/** Work for the network has its hue, whoever does it. */
const NETWORK: ReadonlySet<string> = new Set(['interrupt', 'protocol', 'carry', 'message']);
/** What a bar is called that belongs to a packet. */
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
      return [{ from, to, style: 'solid', title: `${label} comes in`, label, actor: 'lan', seq }];
    },
  );
  const title = machine.parts[adapter]?.title ?? 'wire';
  return [{ id: 'wire', part: adapter, title, actor: 'lan', spans }];
}

function barOf(log: RealTimeLog, task: Task, { state, from, to, seq }: Span): TimelineSpan {
  const known = IN_HAND[state.name];
  const packet = known && log.packets.inHand(task.cpu.number, known.step, from);
  const label = packet ? `${known.name} ${integer(packet)}` : state.title;
  const actor = NETWORK.has(state.name) ? 'lan' : 'cpu';
  const title = packet ? `${state.title}, packet ${integer(packet)}` : state.title;
  return { from, to, style: state.style, title, label, actor, seq };
}

/** From the release of each job to its end; one that was late stands out. */
function jobLane(log: RealTimeLog, task: Task, window: Window): TimelineLane[] {
  const jobs = log.responses.filter((one) => one.kind === 'job' && one.task === task);
  if (jobs.length === 0) return [];
  const spans = jobs.flatMap(({ from, to, missed, title, seq }): TimelineSpan[] =>
    to < window.from || from > window.to
      ? []
      : [
          {
            from,
            to,
            style: missed ? 'blocked' : 'line',
            title: `${title}, ${missed ? 'late' : 'in time'}`,
            label: missed ? 'late' : '',
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

export function taskLanes(
  log: RealTimeLog,
  machine: CompiledMachine,
  window: Window,
): TimelineLane[] {
  const alone = log.roles.cpus.length === 1;
  const rows = log.tasks.tasks
    .filter((task) => task.hasRun)
    .flatMap((task): TimelineLane[] => {
      const { cpu, thread, name, lane } = task;
      const whose = machine.parts[cpu.part]?.name ?? '';
      const spans = lane.between(window.from, window.to).map((span) => barOf(log, task, span));
      const title = alone ? name : `${whose} ${name}`;
      const id = `${cpu.part} ${thread}`;
      return [{ id, part: cpu.part, title, actor: 'cpu', spans }, ...jobLane(log, task, window)];
    });
  return [...wireLane(log, machine, window), ...rows];
}

/** What every thread is in at a time, as sentences. */
export function taskSentences(
  log: RealTimeLog,
  machine: CompiledMachine,
  timePs: number,
): string[] {
  return taskLanes(log, machine, { from: timePs, to: timePs + 1 }).map(({ title, spans }) => {
    const now = spans.find(({ from, to }) => from <= timePs && to > timePs);
    return `${title}: ${now?.title ?? 'nothing'}.`;
  });
}
