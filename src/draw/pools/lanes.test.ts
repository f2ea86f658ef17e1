import { expect, test } from 'vitest';
import type { TimelineLane } from '../run/timeline';
import { timeShares } from './lanes';

const cpu = (...spans: readonly (readonly [from: number, to: number, style: string])[]) =>
  ({
    id: '',
    part: 0,
    title: 'CPU',
    actor: 'cpu',
    spans: spans.map(([from, to, style]) => ({ from, to, style, title: '', actor: null, seq: 1 })),
  }) satisfies TimelineLane;

const plain = (lanes: readonly TimelineLane[], from: number, to: number) =>
  timeShares(lanes, { from, to }).map(({ title, text }) => `${title} ${text.replace(/\s/g, '')}`);

test('the time in the window is shared out over all CPUs', () => {
  const lanes = [
    cpu([0, 50, 'blocked'], [50, 75, 'solid']),
    cpu([0, 100, 'light'], [100, Number.POSITIVE_INFINITY, 'line']),
  ];
  expect(plain(lanes, 0, 100)).toEqual([
    'waiting 25%',
    'holding 13%',
    'hypervisor 50%',
    'stack 0%',
  ]);
  expect(plain(lanes, 100, 200)).toEqual([
    'waiting 0%',
    'holding 0%',
    'hypervisor 0%',
    'stack 50%',
  ]);
});

test('the row of a lock counts for no CPU, and an empty window has no shares', () => {
  const lock = { ...cpu([0, 100, 'solid']), actor: '' };
  expect(plain([cpu([0, 100, 'blocked']), lock], 0, 100)[0]).toBe('waiting 100%');
  expect(plain([lock], 0, 100)).toEqual([]);
  expect(plain([cpu()], 5, 5)).toEqual([]);
});
