import { afterEach, expect, test } from 'vitest';
import { GALLERY, route } from '../../base/route';
import { listScenarios } from '../scenario/scenarios';
import { goToItem, itemRoute, playlistAt, playlists } from './playlists';

afterEach(() => route.setState(GALLERY, true));

test('a lecture of the gallery is five lessons that exist, and takes ninety minutes', () => {
  const known = listScenarios().map(({ id }) => id);
  for (const { items } of playlists) {
    expect(items.filter(({ scenario }) => !known.includes(scenario))).toEqual([]);
    expect(new Set(items.map(({ scenario }) => scenario)).size).toBe(5);
    expect(items.reduce((sum, { minutes }) => sum + minutes, 0)).toBe(90);
  }
});

test('items follow one another, and the last has none after it', () => {
  route.setState(itemRoute('gt/crossover,no/such,start/bus', 'gt/crossover'), true);
  expect(playlistAt(route.getState())).toEqual({ items: ['gt/crossover', 'start/bus'], at: 0 });
  expect([goToItem(1), route.getState().scenario]).toEqual([true, 'start/bus']);
  expect([goToItem(1), route.getState().scenario]).toEqual([false, 'start/bus']);
  expect([goToItem(-1), route.getState().scenario]).toEqual([true, 'gt/crossover']);
});

test('a scenario beside the list, and a page without one, have no place in it', () => {
  expect(playlistAt(itemRoute('start/bus', 'hp/at-work'))).toBeNull();
  expect(playlistAt({ view: 'machine', scenario: 'start/bus', params: {} })).toBeNull();
});
