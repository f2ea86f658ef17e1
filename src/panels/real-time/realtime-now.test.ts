import { afterEach, beforeEach, expect, type MockInstance, test, vi } from 'vitest';
import { loop } from '../../base/loop';
import { RealTimeLog } from '../../model/realtime/realtime-log';
import type { Trace } from '../../model/trace/trace';

const { player, roles } = vi.hoisted(() => ({
  player: { trace: vi.fn(), refresh: vi.fn() },
  roles: { kernel: 0, stack: null, adapter: null, cpus: [] },
}));
vi.mock('../../model/session/open-run', () => ({ player }));
vi.mock('../../controllers/machine-features', () => ({
  realTime: { getState: () => roles },
}));

const { realTimeNow } = await import('./realtime-now');

/** A trace of events without an owner. */
const recorded = (events: number): Trace =>
  ({ first: 0, last: events - 1, record: () => null, event: () => null }) as unknown as Trace;

const frames: ((now: number) => void)[] = [];
const frame = () => {
  for (const run of frames.splice(0)) run(0);
};

let updates: MockInstance<RealTimeLog['update']>;
beforeEach(() => {
  loop.attach({ request: (run) => frames.push(run), cancel: () => undefined });
  updates = vi.spyOn(RealTimeLog.prototype, 'update');
  player.refresh.mockClear();
});
afterEach(() => updates.mockRestore());

test('a long trace is read a slice per frame, however many components read it, and subscribers are notified at its end', () => {
  player.trace.mockReturnValue(recorded(100_000));
  for (let look = 0; look < 5; look++) realTimeNow();
  expect(updates).toHaveBeenCalledTimes(1);
  frame();
  realTimeNow();
  expect(updates).toHaveBeenCalledTimes(2);
  expect(player.refresh).not.toHaveBeenCalled();
  frame();
  expect(updates).toHaveLastReturnedWith(true);
  expect(player.refresh).toHaveBeenCalledTimes(1);
  expect(frames).toEqual([]);
});

test('another run opened meanwhile is read instead', () => {
  player.trace.mockReturnValue(recorded(200_000));
  realTimeNow();
  const short = recorded(10);
  player.trace.mockReturnValue(short);
  expect(realTimeNow()?.trace).toBe(short);
  while (frames.length > 0) frame();
  expect(updates).toHaveLastReturnedWith(true);
});
