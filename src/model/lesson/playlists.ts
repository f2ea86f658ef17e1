/**
 * Lectures of several scenarios, one after another. An address names one: `?list=io-in-90-minutes`, or lists scenarios of a
 * lecturer's own: `?list=start/bus,gt/crossover`.
 */
import { navigate, type Route, route } from '../../base/route';
import { listScenarios } from '../scenario/scenarios';
import shipped from './playlists.json';

interface Playlist {
  readonly id: string;
  readonly title: string;
  readonly items: readonly { readonly scenario: string; readonly minutes: number }[];
}

export const playlists: readonly Playlist[] = shipped;

/** Scenarios of a list, those that exist. */
function scenariosOf(list: string): readonly string[] {
  const known = playlists.find(({ id }) => id === list);
  const ids = known ? known.items.map(({ scenario }) => scenario) : list.split(',');
  return ids.filter((id) => listScenarios().some((entry) => entry.id === id));
}

/** The items of the list in the address, and the index of the open one; null without a list, or beside it. */
export function playlistAt({ params, scenario = '' }: Route) {
  if (!params.list) return null;
  const items = scenariosOf(params.list);
  const at = items.indexOf(scenario);
  return at < 0 ? null : { items, at };
}

/** An item of a list, as the run that the clicker steps through. */
export const itemRoute = (list: string, scenario: string): Route => ({
  view: 'machine',
  scenario,
  params: { list },
});

/** Opens the item after the open one, or before it. Returns false if there is none. */
export function goToItem(by: 1 | -1): boolean {
  const here = route.getState();
  const open = playlistAt(here);
  const next = open?.items[open.at + by];
  if (!next) return false;
  navigate(itemRoute(here.params.list ?? '', next));
  return true;
}
