import { afterEach, beforeEach, expect, test } from 'vitest';
import { begin, whileBusy } from '../base/activity';
import { startRest } from './rest';

let waiting: (() => void)[] = [];
let root: HTMLElement;
let stop: () => void;

/** Lets this many idle moments pass. */
function pass(moments = 4): void {
  for (let i = 0; i < moments; i++) for (const then of waiting.splice(0)) then();
}

const state = () => root.dataset.busyard;

beforeEach(() => {
  waiting = [];
  root = document.documentElement;
  stop = startRest({ root, idle: (then) => waiting.push(then) });
});

afterEach(() => stop());

test('a page with nothing to do is at rest', () => {
  expect(state()).toBe('busy');
  pass();
  expect(state()).toBe('rest');
});

test('work makes the page busy from its start until the last of it ends', () => {
  pass();
  const [first, second] = [begin(), begin()];
  expect(state()).toBe('busy');
  first();
  first();
  pass();
  expect(state()).toBe('busy');
  second();
  pass();
  expect(state()).toBe('rest');
});

test('failed work leaves the page at rest', async () => {
  pass();
  await expect(whileBusy(Promise.reject(new Error('gone')))).rejects.toThrow('gone');
  pass();
  expect(state()).toBe('rest');
});

test('follow-up work in the next moment keeps the page busy', () => {
  const end = begin();
  end();
  pass(1);
  const next = begin();
  pass();
  expect(state()).toBe('busy');
  next();
  pass();
  expect(state()).toBe('rest');
});

test('an input makes the page busy until it could respond', () => {
  pass();
  window.dispatchEvent(new KeyboardEvent('keydown', { key: 'a' }));
  expect(state()).toBe('busy');
  pass();
  expect(state()).toBe('rest');
});

test('an animation that ends is waited for, an endless one is not', () => {
  pass();
  const animation = (endTime: number) => ({
    playState: 'running',
    effect: { getComputedTiming: () => ({ endTime }) },
  });
  let running = [animation(200), animation(Number.POSITIVE_INFINITY)];
  Object.assign(document, { getAnimations: () => running });
  window.dispatchEvent(new Event('resize'));
  pass();
  expect(state()).toBe('busy');
  running = running.slice(1);
  pass();
  expect(state()).toBe('rest');
  Object.assign(document, { getAnimations: undefined });
});
