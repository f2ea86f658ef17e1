import { expect, test } from 'vitest';
import { runInSlices, runToCompletion, type Steps } from './tasks';

function* busy(ms: number): Steps<string> {
  for (let i = 0; i < 5; i++) {
    const until = performance.now() + ms;
    while (performance.now() < until);
    yield;
  }
  return 'made';
}

test('the result of steps is the same at once and in tasks', async () => {
  expect(runToCompletion(busy(0))).toBe('made');
  expect(await runInSlices(busy(0))).toBe('made');
});

test('other work runs between tasks', async () => {
  let turns = 0;
  const other = setInterval(() => turns++);
  await runInSlices(busy(10));
  clearInterval(other);
  expect(turns).toBeGreaterThan(0);
});

test('an error of a step reaches the caller that waits for the task', async () => {
  const broken = function* (): Steps<never> {
    yield;
    throw new Error('broken');
  };
  expect(() => runToCompletion(broken())).toThrow('broken');
  await expect(runInSlices(broken())).rejects.toThrow('broken');
});
