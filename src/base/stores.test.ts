import { describe, expect, test } from 'vitest';
import { commands, runCommand } from './commands';
import { closeBanner, closeTransientToasts, notices, showBanner, showToast } from './notices';
import { createRegistry } from './registry';
import { createStore, derive, watch } from './store';

describe('watching', () => {
  test('a part of a store calls only for a change of that part', () => {
    const store = createStore({ a: 1, b: 1 });
    const seen: number[] = [];
    const stop = watch(
      store,
      (state) => state.a,
      (now, before) => seen.push(before, now),
    );
    store.setState({ b: 2 });
    store.setState({ a: 5 });
    stop();
    store.setState({ a: 6 });
    expect(seen).toEqual([1, 5]);
  });

  test('a derived value calls only when it comes out different', () => {
    const left = createStore({ n: 1 });
    const right = createStore({ n: 2 });
    const larger = derive([left, right], () => left.getState().n > right.getState().n);
    const seen: boolean[] = [];
    larger.subscribe((now) => seen.push(now));
    right.setState({ n: 3 });
    left.setState({ n: 4 });
    expect(larger.getState()).toBe(true);
    expect(seen).toEqual([true]);
  });
});

describe('a registry', () => {
  test('keeps order, replaces by id, and forgets removed entries', () => {
    const registry = createRegistry<{ id: string; order?: number; v?: number }>();
    registry.add({ id: 'b', order: 2 });
    const take = registry.add({ id: 'a', order: 1 });
    registry.add({ id: 'c', order: 1 });
    expect(registry.getState().map((item) => item.id)).toEqual(['a', 'c', 'b']);
    registry.add({ id: 'b', order: 0, v: 2 });
    expect(registry.getState().map((item) => item.id)).toEqual(['b', 'a', 'c']);
    take();
    expect(registry.getState().map((item) => item.id)).toEqual(['b', 'c']);
  });

  test('a removal by the first owner leaves the replacement of another alone', () => {
    const registry = createRegistry<{ id: string; v: number }>();
    const takeFirst = registry.add({ id: 'x', v: 1 });
    registry.add({ id: 'x', v: 2 });
    takeFirst();
    expect(registry.get('x')?.v).toBe(2);
  });
});

test('a command that cannot be done now is not run', () => {
  let runs = 0;
  let can = false;
  const run = () => {
    runs += 1;
  };
  commands.add({ id: 'test', title: 'Test', section: 'Test', run, when: () => can });
  expect(runCommand('test')).toBe(false);
  can = true;
  expect(runCommand('test')).toBe(true);
  expect(runCommand('no such command')).toBe(false);
  expect(runs).toBe(1);
});

test('a banner about the same thing takes the place of the earlier one', () => {
  showBanner({ id: 'file', kind: 'error', title: 'First' });
  showBanner({ id: 'disk', kind: 'warning', title: 'Other' });
  showBanner({ id: 'file', kind: 'error', title: 'Second' });
  expect(notices.getState().banners.map((banner) => banner.title)).toEqual(['Other', 'Second']);
  closeBanner('file');
  showBanner({ id: 'address', kind: 'error', title: 'Of this place', passing: true });
  closeTransientToasts();
  expect(notices.getState().banners.map((banner) => banner.title)).toEqual(['Other']);
  closeBanner('disk');
  expect(notices.getState().banners).toEqual([]);
});

test('a repeated toast is shown once, and at most three are shown', () => {
  for (const text of ['a', 'b', 'a', 'a', 'c', 'd']) showToast(text);
  expect(notices.getState().toasts.map(({ text }) => text)).toEqual(['a', 'c', 'd']);
  expect(new Set(notices.getState().toasts.map(({ id }) => id)).size).toBe(3);
});
