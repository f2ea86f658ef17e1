/**
 * Where the page is, as its URL fragment says it:
 *
 *   #                              the gallery
 *   #/lab/gt/crossover             a scenario in the view named
 *   #/machine/gt/gfixit?t=8330000  the same with parameters (time, selection)
 *   #/machine/gt/gfixit?way=rewritten&pci.clock=33 MHz   variables and parameters, set once on the way in
 *   #/lab/gt/crossover?s=...       the same with what was changed in it
 *   #/sandbox/start/poke           a sandbox: the same, to be played step by step; also #/sandbox
 *   #/build/start/bus              the same, to be rebuilt part by part; also #/build
 *   #/build/start/bus?w=...        a machine of one's own, by the name under which this browser keeps it
 *   #/report                       the reproduction report
 *   #/prove                        exhaustive exploration
 *   #/glossary?term=burst          what the words mean
 *   #/lessons                      which lesson builds on which
 *   #/worksheet/start/bus          a lesson on paper; `sheets=solutions,card,notes` adds sheets
 *   #s=...                         a shared session: decoded by the model
 *   #url=https://...               a scenario file somewhere else
 *
 * The store is the truth while the page runs; the app keeps it and the address in step.
 */
import { createStore } from './store';

export const VIEWS = [
  'gallery',
  'lab',
  'machine',
  'sandbox',
  'build',
  'compare',
  'report',
  'prove',
  'glossary',
  'lessons',
  'worksheet',
] as const;
export type View = (typeof VIEWS)[number];

/** Former names of views, as in saved links, files and sessions. */
const FORMER: ReadonlyMap<string, View> = new Map([['poke', 'sandbox']]);

/** The present name of a view. */
export const presentName = (name: string): string => FORMER.get(name) ?? name;

export interface Route {
  readonly view: View;
  /** Scenario id, as `gt/crossover`; absent for what has none or was opened from a file. */
  readonly scenario?: string;
  readonly params: Readonly<Record<string, string>>;
}

/** Views in which a scenario can be at home. */
export const KINDS = ['lab', 'machine', 'sandbox'] as const;
export type Kind = (typeof KINDS)[number];

/** What an address asks for: a place, or something to be opened first. */
export type Address =
  | {
      readonly kind: 'route';
      readonly route: Route;
      readonly code?: string;
      readonly work?: string;
    }
  | { readonly kind: 'share'; readonly code: string }
  | { readonly kind: 'link'; readonly url: string }
  | { readonly kind: 'unknown'; readonly fragment: string };

export const GALLERY: Route = { view: 'gallery', params: {} };

/** Where building begins, and where the sandbox does: also what their addresses mean without a scenario. */
export const BUILDER: Route = { view: 'build', scenario: 'start/bus', params: {} };
export const SANDBOX: Route = { view: 'sandbox', scenario: 'start/poke', params: {} };

export const route = createStore<Route>(GALLERY);

/** Goes to a view; parameters not named are dropped. */
export function navigate(to: { view: View; scenario?: string; params?: Route['params'] }): void {
  route.setState({ params: {}, ...to }, true);
}

/** Changes parameters of the present place without leaving it; null removes one. */
export function setParams(changes: Readonly<Record<string, string | null>>): void {
  const here = route.getState();
  const params = { ...here.params };
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) delete params[name];
    else params[name] = value;
  }
  route.setState({ ...here, params }, true);
}

export function parseFragment(fragment: string): Address {
  const text = fragment.replace(/^#/, '');
  if (text.startsWith('s=')) return { kind: 'share', code: text.slice(2) };
  if (text.startsWith('url=')) return link(text.slice(4), fragment);
  if (text === '' || text === '/') return { kind: 'route', route: GALLERY };
  const [path = '', query = ''] = text.split('?', 2);
  const [, name, ...rest] = path.split('/');
  const view = VIEWS.find((candidate) => candidate === presentName(name ?? ''));
  if (!view) return { kind: 'unknown', fragment };
  const { s: code, w: work, ...params } = Object.fromEntries(new URLSearchParams(query));
  const scenario = rest.join('/');
  const place = scenario ? { view, scenario, params } : { view, params };
  return {
    kind: 'route',
    route: place,
    ...(code ? { code } : {}),
    ...(work ? { work } : {}),
  };
}

export function formatFragment(
  { view, scenario, params }: Route,
  code?: string | null,
  work?: string | null,
): string {
  const named = { ...params, ...(work ? { w: work } : {}), ...(code ? { s: code } : {}) };
  const query = new URLSearchParams(named).toString();
  if (view === 'gallery' && !query) return '#';
  return `#/${view}${scenario ? `/${scenario}` : ''}${query ? `?${query}` : ''}`;
}

function link(encoded: string, fragment: string): Address {
  try {
    return { kind: 'link', url: decodeURIComponent(encoded) };
  } catch {
    return { kind: 'unknown', fragment };
  }
}
