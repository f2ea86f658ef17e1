/**
 * One run of a pooled allocator as lanes: what each CPU did, and below that the holders of the lock.
 *
 *     CPU 0     ///////////████▒▒──///////
 *     CPU 1     ──██▒▒────────////██▒▒────
 *     the lock  0██ █1██ █4█ ██0███ ██1██
 */
import { count, percent } from '../../base/format';
import type { LockLog } from '../../model/pools/lock-log';
import type { CompiledMachine } from '../../model/scenario/compiled';
import type { Span } from '../../model/trace/lane';
import type { Trace } from '../../model/trace/trace';
import { lanesOf } from '../run/run-lanes';
import type { TimelineLane, TimelineSpan } from '../run/timeline';
import type { Window } from '../run/timeline-axis';

/** With more locks than this, a sentence replaces the rows, which would be too thin to read. */
const MAX_LOCK_ROWS = 2;

export interface LockedRun {
  readonly machine: CompiledMachine;
  readonly trace: Trace;
  readonly log: LockLog;
  /** Tracks that the scenario selects; empty: all. */
  readonly tracks: readonly string[];
}

function lockSpan({ from, to, seq, by }: Span): TimelineSpan {
  const cpu = by === null ? '' : String(by);
  return { from, to, seq, style: 'solid', title: `held by CPU ${cpu}`, label: cpu, actor: 'cpu' };
}

const CPU_ONLY = (lane: TimelineLane): boolean => lane.actor === 'cpu';

/** The lanes of a run in a time window; bars of CPUs have no labels, which would all be the same. */
export function lockLanes(run: LockedRun, window: Window, most: number): TimelineLane[] {
  const { machine, trace, log, tracks } = run;
  const pools = log.pools.length > MAX_LOCK_ROWS ? [] : log.pools;
  const rows = lanesOf(machine, trace, window, { tracks: tracks, most: most - pools.length });
  const cpus = rows.filter(CPU_ONLY).map((lane) => ({
    ...lane,
    spans: lane.spans.map((span) => ({ ...span, label: '' })),
  }));
  const locks = pools.flatMap((pool): TimelineLane[] => {
    const lane = log.lane(pool);
    if (!lane) return [];
    const title = pools.length === 1 ? 'the lock' : `lock ${pool}`;
    const spans = lane.between(window.from, window.to).map(lockSpan);
    return [{ id: `lock ${pool}`, part: lane.part, title, actor: '', spans }];
  });
  return [...cpus, ...locks];
}

/** Kinds of time by the style of their bars; everything else is work. */
const KINDS = [
  ['blocked', 'waiting'],
  ['solid', 'holding'],
  ['light', 'hypervisor'],
  ['line', 'stack'],
] as const;

export interface TimeShare {
  readonly style: (typeof KINDS)[number][0];
  readonly title: string;
  /** In per cent of the time of all CPUs shown. */
  readonly text: string;
}

/** How the CPUs spent a period: 87 % waiting, 9 % holding ... */
export function timeShares(lanes: readonly TimelineLane[], { from, to }: Window): TimeShare[] {
  const cpus = lanes.filter(CPU_ONLY);
  const all = cpus.length * (to - from);
  if (!(all > 0)) return [];
  return KINDS.map(([style, title]) => {
    let sum = 0;
    for (const { spans } of cpus)
      for (const span of spans)
        if (span.style === style)
          sum += Math.max(0, Math.min(span.to, to) - Math.max(span.from, from));
    return { style, title, text: percent((sum / all) * 100, 0) };
  });
}

/** For too many locks to show as rows: their number, and whether any CPU waited. */
export function locksText({ log }: LockedRun, { from, to }: Window): string {
  const { length } = log.pools;
  if (length <= MAX_LOCK_ROWS) return '';
  const waits = log.waitsIn(from, to);
  if (waits === 0) return `${length} locks and no waits: the longest hold delays no other CPU.`;
  return `${length} locks, and ${count(waits, 'wait')} for one of them here.`;
}
