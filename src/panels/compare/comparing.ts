/**
 * The comparison of the page and its playhead. One playhead serves both runs, which may start at different
 * times of the common time axis.
 */
import { loop } from '../../base/loop';
import { showToast } from '../../base/notices';
import { route, setParams } from '../../base/route';
import { createStore, watch } from '../../base/store';
import { nextTask } from '../../base/tasks';
import { following, type Window, zoomed } from '../../draw/run/timeline-axis';
import { createWorkerEngine } from '../../engine/workers';
import {
  type Alignment,
  formatAlignment,
  type Lead,
  leadOf,
  nextDifference,
  parseAlignment,
  TOGETHER,
} from '../../model/report/alignment';
import {
  Comparing,
  type Comparison,
  type Divergence,
  renumbered,
} from '../../model/report/comparison';
import { maxFollowableSpeed } from '../../model/session/playback';
import { type EventPair, matchEvents } from '../../model/trace/event-pairs';

export const comparing = new Comparing([createWorkerEngine(), createWorkerEngine()]);

/** Most paired notable events: fewer while the runs are still being recorded. */
const MOST_PAIRS = { running: 400, done: 20_000 };

let paired: { of: Comparison | null; pairs: EventPair[] } = { of: null, pairs: [] };

/** Pairs of notable events; the same objects until more is known. */
export function pairsOf(state: Comparison): EventPair[] {
  const [one, two] = [state.a?.recording, state.b?.recording];
  if (!one || !two || !state.a || !state.b) return [];
  if (paired.of === state) return paired.pairs;
  const most = state.status === 'done' ? MOST_PAIRS.done : MOST_PAIRS.running;
  const [a = [], b = []] = [one, two].map(({ marks }) => marks.notable.slice(0, most));
  const other = renumbered(state.a.machine, state.b.machine, two);
  paired = { of: state, pairs: matchEvents(one.trace, other.trace, a, b) };
  return paired.pairs;
}

export const transport = createStore({ playing: false });

let timePs = 0;
const listeners = new Set<() => void>();
let stop: (() => void) | null = null;

export const playhead = (): number => timePs;

export const onPlayheadMove = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** Start of each run on the common time axis, by the alignment. */
export const lead = createStore<Lead>(TOGETHER);

/** End of the later run on the common time axis. */
export const endPs = (): number => {
  const { a, b } = comparing.state.getState();
  const by = lead.getState();
  return Math.max((a?.recording?.endPs ?? 0) + by.a, (b?.recording?.endPs ?? 0) + by.b);
};

/** The duration of the longer run; it determines the unit of all times. */
export const longestPs = (): number => {
  const { a, b } = comparing.state.getState();
  return Math.max(a?.recording?.endPs ?? 0, b?.recording?.endPs ?? 0);
};

export function movePlayhead(to: number): void {
  timePs = Math.min(Math.max(0, to), endPs());
  for (const listener of [...listeners]) listener();
}

/** A run with more notable events than MANY is shown in windows of about PIECE events. */
const [MANY, PIECE] = [1000, 160];

/** The chosen time window; null: as much as can be distinguished. */
let chosen: Window | null = null;

function usualWindow(): Window {
  const notableCount = comparing.state.getState().a?.recording?.marks.notable.length ?? 0;
  const end = endPs();
  return { from: 0, to: notableCount > MANY ? (end * PIECE) / notableCount : end };
}

/** The time window, moved to contain the playhead. */
export function shownWindow(): Window {
  const window = following(chosen ?? usualWindow(), timePs, endPs(), false);
  if (chosen) chosen = window;
  return window;
}

/** Zooms around the playhead. */
export function zoom(factor: number): void {
  chosen = zoomed(shownWindow(), timePs, factor, endPs());
  movePlayhead(timePs);
}

function speed(): number {
  const times = comparing.state.getState().a?.recording?.marks.transactions.timesOf(400) ?? [];
  return maxFollowableSpeed(times);
}

const LONGEST_FRAME_MS = 100;

export function togglePlay(): void {
  if (stop) {
    stop();
    stop = null;
  } else {
    if (timePs >= endPs()) movePlayhead(0);
    const pace = speed();
    stop = loop.every('advance', ({ elapsed }) => {
      movePlayhead(timePs + (Math.min(elapsed, LONGEST_FRAME_MS) / 1000) * pace);
      if (timePs >= endPs()) togglePlay();
    });
  }
  transport.setState({ playing: stop !== null });
}

export function pause(): void {
  if (stop) togglePlay();
}

/** Goes to the next or previous notable event of either run. */
export function stepBoth(by: 1 | -1): void {
  pause();
  const state = comparing.state.getState();
  const times = (['a', 'b'] as const).flatMap((side) => {
    const marks = state[side]?.recording?.marks.transactions;
    if (!marks) return [];
    const offset = lead.getState()[side];
    const here = timePs - offset;
    const found = by > 0 ? marks.afterTime(here) : marks.before(here);
    return found === null ? [] : [found + offset];
  });
  if (times.length > 0) movePlayhead(by > 0 ? Math.min(...times) : Math.max(...times));
  else movePlayhead(by > 0 ? endPs() : 0);
}

/** The divergence shown, if it is not the first. */
export const laterDivergence = createStore<{ readonly divergence: Divergence | null }>({
  divergence: null,
});

/** Its time on the common time axis. */
export function clockOf({ a, b, timePs: at }: Divergence): number {
  const state = comparing.state.getState();
  const by = lead.getState();
  const timeIn = (side: 'a' | 'b', seq: number | null) => {
    const record = seq === null ? null : state[side]?.recording?.trace.record(seq);
    return record ? record.timePs + by[side] : Number.POSITIVE_INFINITY;
  };
  const first = Math.min(timeIn('a', a), timeIn('b', b));
  return Number.isFinite(first) ? first : at;
}

export function toDivergence(): void {
  const { divergence } = comparing.state.getState();
  pause();
  laterDivergence.setState({ divergence: null });
  if (divergence) movePlayhead(clockOf(divergence));
}

/** Goes to the next divergence after the runs have agreed again. */
export async function toNextDivergence(): Promise<void> {
  const { a, b, status } = comparing.state.getState();
  pause();
  if (status !== 'done' || !a?.recording || !b?.recording) return;
  const [one, two] = [a.recording, renumbered(a.machine, b.machine, b.recording)];
  const machine = alignment().by === 'cause' ? a.machine : null;
  const found = await nextDifference(one, two, timePs, nextTask, lead.getState(), machine);
  if (comparing.state.getState().a !== a) return;
  if (!found) {
    const asFar = one.cut || two.cut ? ', as far as their events are kept' : '';
    return showToast(`The runs do not differ again after this${asFar}.`);
  }
  laterDivergence.setState({ divergence: found });
  movePlayhead(clockOf(found));
}

/** The alignment, which is stored in the address. */
const alignment = (): Alignment => parseAlignment(route.getState().params.align);

/** Aligns the runs; if that is impossible, says so and changes nothing. */
export function align(by: Alignment): void {
  if (leadOf(by, comparing.state.getState(), shownDivergence())) {
    setParams({ align: formatAlignment(by) });
    return;
  }
  showToast(
    {
      start: '',
      event: 'The other run has no such event.',
      cause: 'In the other run the same row, call, task or transfer causes no such event.',
      parting: 'The runs do not diverge.',
    }[by.by],
  );
}

/** Aligns by the last notable event of A, up to the playhead, that B also has. */
export function alignHere(by: 'event' | 'cause' = 'event'): void {
  const here = timePs - lead.getState().a;
  const pair = pairsOf(comparing.state.getState()).findLast(({ a }) => a <= here);
  if (pair) align({ by, seq: pair.seq });
  else showToast('Up to here A has no event that B also has.');
}

const shownDivergence = (): Divergence | null =>
  laterDivergence.getState().divergence ?? comparing.state.getState().divergence;

/** Applies the alignment; the playhead stays at the same moment of A. */
function realign(): void {
  const next = leadOf(alignment(), comparing.state.getState(), shownDivergence()) ?? TOGETHER;
  const now = lead.getState();
  if (next.a === now.a && next.b === now.b) return;
  lead.setState(next, true);
  movePlayhead(timePs - now.a + next.a);
}

watch(
  comparing.state,
  ({ status }) => status,
  () => laterDivergence.setState({ divergence: null }),
);
watch(comparing.state, (state) => state, realign);
watch(laterDivergence, ({ divergence }) => divergence, realign);
watch(route, ({ params }) => params.align, realign);
