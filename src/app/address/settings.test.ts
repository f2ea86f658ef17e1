import { beforeEach, expect, test } from 'vitest';
import { notices } from '../../base/notices';
import { navigate, route } from '../../base/route';
import { undoEdit } from '../../model/session/editing';
import { session as opened } from '../../model/session/session';
import { openScenario, session } from '../opening/open-document';
import { applyAddressSettings } from './settings';

const banners = () => notices.getState().banners.map(({ place, detail }) => `${place}: ${detail}`);

function arrive(params: Readonly<Record<string, string>>): void {
  const at = { view: 'machine', scenario: 'gt/crossover', params } as const;
  navigate(at);
  applyAddressSettings(at);
}

beforeEach(async () => {
  await openScenario('gt/crossover');
});

test('an address sets variables and parameters, which are then removed from it', () => {
  arrive({ size: '1024', 'driver.setup_time': '3 us', t: '5' });
  expect(opened.getState().machine?.variables.size).toBe(1024);
  expect(opened.getState().edits['driver.setup_time']).toBe('3 us');
  expect(route.getState().params).toEqual({ t: '5' });
  expect(banners()).toEqual([]);
});

test('a run opened by an address is the user’s own work and can be undone', () => {
  arrive({ size: '1024', 'driver.setup_time': '3 us' });
  expect(session.getState()).toMatchObject({ own: true, canUndo: true, changes: 2 });
  undoEdit();
  undoEdit();
  expect(session.getState()).toMatchObject({ own: false, canUndo: false, changes: 0 });
});

test('a refused setting is reported with place and rule, and the others apply', () => {
  arrive({ size: '1023', method: 'dma_write', t: 'noon' });
  expect(opened.getState().machine?.variables).toMatchObject({ size: 512, method: 'dma_write' });
  expect(route.getState().params).toEqual({});
  expect(banners()).toEqual([
    expect.stringMatching(/^size=1023, t=noon: .*multiple of .*1020 B and 1 KiB.*picoseconds/),
  ]);
  arrive({ colour: 'red' });
  expect(banners()).toEqual([expect.stringMatching(/^colour=red: .*colour/)]);
  arrive({ size: '1024' });
  expect(banners()).toEqual([]);
});

test.each(['constructor', '__proto__', 'toString', 'driver.constructor', '.'])(
  'the name %s is refused like any unknown name',
  (name) => {
    arrive(Object.fromEntries([[name, '1']]));
    expect(banners()).toEqual([expect.stringContaining(`${name}=1: `)]);
    expect(opened.getState().machine?.variables.size).toBe(512);
  },
);
