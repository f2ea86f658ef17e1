/** The comparison of the page, and its clock: one needle for both runs. */
import { loop } from '../../base/loop';
import { showToast } from '../../base/notices';
import { createStore, watch } from '../../base/store';
import { following, type Window, zoomed } from '../../draw/run/timeline-axis';
import { createWorkerEngine } from '../../engine/page';
import { Comparing, type Divergence } from '../../model/report/comparison';
import { nextDifference } from '../../model/report/next-difference';
import { followableSpeed } from '../../model/session/pace';

export const comparing = new Comparing([createWorkerEngine(), createWorkerEngine()]);

/** Lets the page draw and answer between two pieces of a long search. */
export const breathe = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

export const transport = createStore({ playing: false });

let timePs = 0;
const listeners = new Set<() => void>();
let stop: (() => void) | null = null;

export const needle = (): number => timePs;

export const onNeedle = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const endPs = (): number => {
  const { a, b } = comparing.state.getState();
  return Math.max(a?.recording?.endPs ?? 0, b?.recording?.endPs ?? 0);
};

export function moveNeedle(to: number): void {
  timePs = Math.min(Math.max(0, to), endPs());
  for (const listener of [...listeners]) listener();
}

/** A run of more told events than this is shown a piece at a time, of about so many. */
const [MANY, PIECE] = [1000, 160];

/** What somebody has chosen to see of the time; null: as much as can be told apart. */
let chosen: Window | null = null;

function usualWindow(): Window {
  const told = comparing.state.getState().a?.recording?.marks.story.length ?? 0;
  const end = endPs();
  return { from: 0, to: told > MANY ? (end * PIECE) / told : end };
}

/** What is shown: the needle is in it. */
export function shownWindow(): Window {
  const window = following(chosen ?? usualWindow(), timePs, endPs(), false);
  if (chosen) chosen = window;
  return window;
}

/** Shows so many times as much of the time, about the needle. */
export function zoom(factor: number): void {
  chosen = zoomed(shownWindow(), timePs, factor, endPs());
  moveNeedle(timePs);
}

function speed(): number {
  const times = comparing.state.getState().a?.recording?.marks.transactions.timesOf(400) ?? [];
  return followableSpeed(times);
}

const LONGEST_FRAME_MS = 100;

export function togglePlay(): void {
  if (stop) {
    stop();
    stop = null;
  } else {
    if (timePs >= endPs()) moveNeedle(0);
    const pace = speed();
    stop = loop.every('advance', ({ elapsed }) => {
      moveNeedle(timePs + (Math.min(elapsed, LONGEST_FRAME_MS) / 1000) * pace);
      if (timePs >= endPs()) togglePlay();
    });
  }
  transport.setState({ playing: stop !== null });
}

export function pause(): void {
  if (stop) togglePlay();
}

/** To the next event that is told in either run, or back to the one before. */
export function stepBoth(by: 1 | -1): void {
  pause();
  const { a, b } = comparing.state.getState();
  const times = [a, b].flatMap((side) => {
    const marks = side?.recording?.marks.transactions;
    if (!marks) return [];
    const found = by > 0 ? marks.afterTime(timePs) : marks.before(timePs);
    return found === null ? [] : [found];
  });
  if (times.length > 0) moveNeedle(by > 0 ? Math.min(...times) : Math.max(...times));
  else moveNeedle(by > 0 ? endPs() : 0);
}

/** The divergence that is told of, where it is not the first. */
export const later = createStore<{ readonly divergence: Divergence | null }>({ divergence: null });

export function toDivergence(): void {
  const { divergence } = comparing.state.getState();
  pause();
  later.setState({ divergence: null });
  if (divergence) moveNeedle(divergence.timePs);
}

/** To where the runs part again, once they have gone on in step. */
export async function toNextDivergence(): Promise<void> {
  const { a, b, status } = comparing.state.getState();
  pause();
  if (status !== 'done' || !a?.recording || !b?.recording) return;
  const found = await nextDifference(a.recording.trace, b.recording.trace, timePs, breathe);
  if (comparing.state.getState().a !== a) return;
  if (!found) return showToast('After this the two runs do not part again.');
  later.setState({ divergence: found });
  moveNeedle(found.timePs);
}

watch(
  comparing.state,
  ({ status }) => status,
  () => later.setState({ divergence: null }),
);
