import fc from 'fast-check';
import { expect, test } from 'vitest';
import { loop } from '../base/loop';
import { player } from '../model/session/open-run';
import { session } from '../model/session/session';
import { followPlayhead, readForLanes, shownWindow, windowAt } from './usePlayheadWindow';

const NONE = { from: 0, to: 0 };

test('a window shows the playhead and is stable when read again', () => {
  const lengths = fc.oneof(
    fc.integer({ min: 0, max: 40 }).map((power) => 8 * 2 ** power),
    fc.integer({ min: 1, max: 1e12 }),
  );
  const shares = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(lengths, fc.integer({ min: 1, max: 1e15 }), shares, (length, end, share) => {
      const endPs = Math.max(length, end);
      const timePs = Math.round(endPs * share);
      const window = windowAt(NONE, length, timePs, endPs);
      expect(window.from).toBeLessThanOrEqual(timePs);
      expect(window.to).toBeGreaterThanOrEqual(timePs);
      expect(windowAt(window, length, timePs, endPs)).toBe(window);
    }),
    { seed: 7, numRuns: 2000 },
  );
});

test('it stays while the playhead is in its first part, and another length makes a new one', () => {
  const window = windowAt(NONE, 1000, 5000, 1e6);
  expect(windowAt(window, 1000, 4800, 1e6)).toBe(window);
  expect(windowAt(window, 1000, 5300, 1e6)).not.toEqual(window);
  expect(windowAt(window, 2000, 100, 1e6)).toEqual({ from: 0, to: 2000 });
});

/** The window after a run of this length was recorded, by the same edit as the one before or another. */
function windowOf(endPs: number, edit: number) {
  player.state.setState({ endPs, opened: edit, speed: 1000 });
  followPlayhead();
  return shownWindow.getState();
}

test('a window of the whole run grows with the run, another one keeps its length', () => {
  session.setState({ opened: 1 });
  expect(windowOf(5000, 1)).toEqual({ from: 0, to: 5000 });
  expect(windowOf(9000, 2)).toEqual({ from: 0, to: 9000 });
  expect(windowOf(90_000, 3)).toEqual({ from: 0, to: 12_000 });
  expect(windowOf(80_000, 4)).toEqual({ from: 0, to: 12_000 });
  expect(windowOf(3000, 5)).toEqual({ from: 0, to: 3000 });
});

test('a newly opened run has the window that the step of its lesson frames', () => {
  const lesson = '# A bus\n\n@ 0 ns zoom 0 ns..3 ns\n\nFour stores.\n';
  session.setState({ opened: 2, lesson });
  expect(windowOf(9000, 6)).toEqual({ from: 0, to: 3000 });
  session.setState({ opened: 3, lesson });
  expect(windowOf(2000, 7)).toEqual({ from: 0, to: 2000 });
});

test('lanes are drawn again once, when the log that they show is read to its end', () => {
  const frames: ((now: number) => void)[] = [];
  loop.attach({ request: (run) => frames.push(run), cancel: () => undefined });
  let [slices, drawn] = [3, 0];
  const log = { update: () => slices-- <= 0 };
  const stop = shownWindow.subscribe(() => drawn++);
  readForLanes(log);
  for (let now = 0; now < 6; now++) {
    // Several sheets show one log.
    readForLanes(log);
    frames.shift()?.(now);
  }
  stop();
  expect(slices).toBeLessThan(0);
  expect(drawn).toBe(1);
});
