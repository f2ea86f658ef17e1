/** Response times by task: jobs of each periodic task, and packets. */
import { createStore } from '../../base/store';
import { packetDeadline } from '../../controllers/machine-features';
import type { RealTimeLog, Response } from '../../model/realtime/realtime-log';
import { player } from '../../model/session/open-run';
import { select } from '../../model/session/selection';
import { realTimeNow, recordedUntil } from './realtime-now';

export interface ResponseGroup {
  readonly id: string;
  readonly title: string;
  /** Name of the items, in the plural. */
  readonly what: string;
  /** Null if there is no deadline. */
  readonly deadline: number | null;
  readonly responses: readonly Response[];
}

/** Id of the packet group, whose deadline is a parameter; the deadline of jobs is their period. */
export const PACKETS = 'packets';

/** The selected group; null for the first. */
export const chosenGroup = createStore<{ readonly id: string | null }>({ id: null });

const NONE: readonly ResponseGroup[] = [];

interface Known {
  log: RealTimeLog | null;
  key: string;
  groups: readonly ResponseGroup[];
}

const own: Known = { log: null, key: '', groups: NONE };
const comparison: Known = { log: null, key: '', groups: NONE };

/** The groups as far as they may be shown; the same objects while nothing changes. */
export const groupsNow = (): readonly ResponseGroup[] => groupsOf(realTimeNow()?.log ?? null, own);

/** The groups of the comparison run. */
export const comparisonGroups = (log: RealTimeLog | null): readonly ResponseGroup[] =>
  groupsOf(log, comparison);

function groupsOf(log: RealTimeLog | null, known: Known): readonly ResponseGroup[] {
  if (!log) return NONE;
  const until = recordedUntil();
  const key = `${log.responses.length} ${until} ${packetDeadline()}`;
  if (known.log === log && known.key === key) return known.groups;
  const ended = log.responses.filter(({ to }) => to <= until);
  const tasks = log.tasks.tasks.filter((task) =>
    ended.some((one) => one.kind === 'job' && one.task === task),
  );
  const jobs = tasks.map((task): ResponseGroup => {
    const responses = ended.filter((one) => one.kind === 'job' && one.task === task);
    const what = `jobs of ${task.name}`;
    const id = `${task.cpu.part} ${task.thread}`;
    return { id, title: task.name, what, deadline: log.periodOf(task), responses };
  });
  const packets = ended.filter(({ kind }) => kind === 'packet');
  const ofPackets: ResponseGroup = {
    id: PACKETS,
    title: 'packets',
    what: 'packets',
    deadline: packetDeadline(),
    responses: packets,
  };
  known.groups = packets.length > 0 ? [...jobs, ofPackets] : jobs;
  known.log = log;
  known.key = key;
  return known.groups;
}

/** The last late response up to the playhead, of those that may be shown. */
export function lateResponseNow(): Response | null {
  const { timePs } = player.now();
  return missedOf().findLast(({ to }) => to <= timePs) ?? null;
}

const missedOf = (): readonly Response[] =>
  groupsNow()
    .flatMap(({ responses }) => responses.filter(({ missed }) => missed))
    .toSorted((a, b) => a.to - b.to);

/** Goes to the next or previous missed deadline. */
export function toMissedDeadline(by: 1 | -1): void {
  const { timePs } = player.now();
  const missed = missedOf();
  const next =
    by > 0 ? missed.find(({ to }) => to > timePs) : missed.findLast(({ to }) => to < timePs);
  if (!next) return;
  player.pause();
  select({ event: next.seq });
  void player.toTime(player.trace()?.record(next.seq)?.timePs ?? next.to);
}

export const missedCount = (): number => missedOf().length;
