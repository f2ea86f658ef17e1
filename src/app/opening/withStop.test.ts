/** Work that can be stopped, and restarted afterwards. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { notices } from '../../base/notices';
import { withStop } from './withStop';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const banners = () => notices.getState().banners;
const press = (title: string) =>
  banners()
    .flatMap(({ actions = [] }) => actions)
    .find((action) => action.title === title)
    ?.run();

test('stopped work is offered again, and runs to its end', async () => {
  let starts = 0;
  const start = (): Promise<string> =>
    withStop(
      { id: 'unpacking', title: 'Unpacking the link', detail: 'It stays.' },
      (signal) =>
        new Promise((resolve) => {
          starts++;
          if (starts > 1) resolve('done');
          signal.addEventListener('abort', () => resolve('stopped'));
        }),
      () => void start(),
    );
  const first = start();
  vi.advanceTimersByTime(500);
  expect(banners()).toMatchObject([{ title: 'Unpacking the link', detail: 'It stays.' }]);
  press('Stop');
  expect(await first).toBe('stopped');
  expect(banners()).toMatchObject([{ title: 'Unpacking the link was stopped' }]);
  press('Restart');
  await vi.runAllTimersAsync();
  expect(starts).toBe(2);
  expect(banners()).toEqual([]);
});

test('work that ends by itself leaves no banner', async () => {
  const work = withStop({ id: 'quick', title: 'Work' }, () => Promise.resolve(1), vi.fn());
  vi.advanceTimersByTime(500);
  expect(await work).toBe(1);
  expect(banners()).toEqual([]);
});
