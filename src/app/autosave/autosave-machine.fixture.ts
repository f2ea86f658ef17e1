/**
 * A model of saving: tabs whose pages may be reloaded, closed or killed; the storage they share, with writes
 * that are slow, refused or never answered; and the journal beside it. `moves` lists every possible next
 * step, so that all orders can be explored.
 *
 * Texts are numbers of edits; `parents` says which text each was made from. An edit without a successor must
 * never be lost.
 */

import {
  type AutosaveEvent,
  type AutosaveState,
  type Copy,
  type Effect,
  initialAutosaveState,
  journalKey,
  openWork,
  type PendingRequest,
  step,
  toShow,
  unsavedCopy,
} from './autosave-machine';
import { relation, type SavedSession } from './saved-session';

interface Request {
  readonly pending: PendingRequest;
  readonly record: SavedSession;
  /**
   * The write was carried out and the answer is pending: the stored record, and whether it contains the
   * written one.
   */
  readonly verdict: { readonly stored: SavedSession; readonly kept: boolean } | null;
  /** The tab no longer waits for it, but it may still be carried out. */
  readonly hung: boolean;
}

interface Tab {
  readonly state: AutosaveState;
  readonly armed: readonly number[];
  readonly requests: readonly Request[];
  /** The text on the screen; 0 is the published scenario. */
  readonly shown: number;
}

export interface World {
  readonly stored: Readonly<Record<string, SavedSession>>;
  readonly copies: Readonly<Record<string, SavedSession>>;
  readonly tabs: readonly (Tab | null)[];
  readonly parents: readonly number[];
  readonly pages: number;
  /** How many more of each kind of step may happen. */
  readonly left: Budget;
  /** The journal is full, or was at some time. */
  readonly full: boolean;
  /** Violations made by a step. */
  readonly wrong: readonly string[];
}

export interface Budget {
  readonly edits: number;
  readonly pages: number;
  readonly opens: number;
  readonly faults: number;
}

export interface Move {
  readonly name: string;
  readonly next: World;
}

/** One tab with nothing open, or several with the same work open. */
export function newWorld(tabs: number, left: Budget): World {
  const world: World = {
    stored: {},
    copies: {},
    tabs: Array.from({ length: tabs }, () => null),
    parents: [0],
    pages: 0,
    left: { ...left, pages: left.pages + tabs },
    full: false,
    wrong: [],
  };
  const first = startPage(world, 0, null);
  if (tabs === 1) return first;
  const kept = rest(edit(first, 0));
  const [id = ''] = Object.keys(kept.stored);
  return kept.tabs.reduce(
    (now, tab, at) => (tab ? now : resume(startPage(now, at, null), at, { id, author: '' })),
    kept,
  );
}

/** Time is constant: the only difference it makes is that a change that waited long is written at once. */
const NOW = 0;

const setTab = (world: World, at: number, tab: Tab | null): World => ({
  ...world,
  tabs: world.tabs.map((other, i) => (i === at ? tab : other)),
});

const spend = (world: World, what: keyof Budget): World => ({
  ...world,
  left: { ...world.left, [what]: world.left[what] - 1 },
});

function send(world: World, at: number, event: AutosaveEvent): World {
  const tab = world.tabs[at];
  if (!tab) return world;
  const { state, effects } = step(tab.state, event, NOW);
  return effects.reduce(
    (now, effect) => carryOut(now, at, effect),
    setTab(world, at, { ...tab, state }),
  );
}

function carryOut(world: World, at: number, effect: Effect): World {
  const tab = world.tabs[at];
  if (!tab) return world;
  switch (effect.do) {
    case 'copy':
      if (world.full) return send(world, at, { is: 'copied', work: effect.work, lasts: 'page' });
      return send({ ...world, copies: { ...world.copies, [effect.slot]: effect.record } }, at, {
        is: 'copied',
        work: effect.work,
        lasts: 'browser',
      });
    case 'drop': {
      const there = world.copies[effect.slot];
      if (!there || relation(effect.record, there) !== 'newer') return world;
      const { [effect.slot]: _, ...copies } = world.copies;
      return { ...world, copies };
    }
    case 'write': {
      const { id, stamp } = effect.record;
      const asked = { work: effect.work, id, stamp };
      const request: Request = {
        pending: asked,
        record: effect.record,
        verdict: null,
        hung: false,
      };
      const armed = tab.armed.filter((work) => work !== effect.work);
      return setTab(world, at, { ...tab, armed, requests: [...tab.requests, request] });
    }
    case 'show':
      return show(world, at, effect.record, null);
    case 'wake':
      return setTab(world, at, { ...tab, armed: [...new Set([...tab.armed, effect.work])] });
  }
}

function ring(world: World, at: number, work: number): World {
  const tab = world.tabs[at];
  if (!tab) return world;
  const armed = tab.armed.filter((one) => one !== work);
  return send(setTab(world, at, { ...tab, armed }), at, { is: 'due', work });
}

/** The storage carries out a write. */
function commit(world: World, at: number, index: number): World {
  const tab = world.tabs[at];
  const request = tab?.requests[index];
  if (!tab || !request || request.verdict) return world;
  const { record } = request;
  const there = world.stored[record.id];
  const verdict = !there ? 'newer' : relation(record, there);
  const wrong = [...world.wrong];
  if (there && verdict === 'newer' && !descends(world, record.text, there.text))
    wrong.push(`edit ${record.text} took the place of ${there.text}`);
  const now = verdict === 'newer' ? record : (there ?? record);
  return setTab({ ...world, wrong, stored: { ...world.stored, [record.id]: now } }, at, {
    ...tab,
    requests: tab.requests.map((one, i) =>
      i === index ? { ...one, verdict: { stored: now, kept: verdict !== 'apart' } } : one,
    ),
  });
}

export function descends({ parents }: World, text: string, from: string): boolean {
  for (let now = Number(text); now > 0; now = parents[now] ?? 0) {
    if (now === Number(from)) return true;
  }
  return Number(from) === 0;
}

function withoutRequest(world: World, at: number, index: number): World {
  const tab = world.tabs[at];
  if (!tab) return world;
  return setTab(world, at, { ...tab, requests: tab.requests.filter((_, i) => i !== index) });
}

function answer(world: World, at: number, index: number): World {
  const request = world.tabs[at]?.requests[index];
  if (!request?.verdict) return world;
  const { pending, verdict } = request;
  const { stored, kept } = verdict;
  const event: AutosaveEvent = kept
    ? { is: 'answered', ...pending, stored }
    : { is: 'newer', ...pending, other: stored };
  return send(withoutRequest(world, at, index), at, event);
}

function edit(world: World, at: number): World {
  const tab = world.tabs[at];
  if (!tab) return world;
  const text = world.parents.length;
  const content = {
    title: '',
    system: '',
    kind: 'lab',
    changes: 1,
    own: true,
    savedAt: text,
    text: String(text),
  } as const;
  const edited = { ...world, parents: [...world.parents, tab.shown] };
  return send(setTab(edited, at, { ...tab, shown: text }), at, {
    is: 'edited',
    content,
    newId: `work${text}`,
  });
}

/** What a history entry stores of its work. */
interface Entry {
  readonly id: string;
  readonly author: string;
}

const asCopy = ([slot, record]: [string, SavedSession]): Copy => ({
  slot,
  record,
  lasts: 'browser',
});

function startPage(world: World, at: number, entry: Entry | null): World {
  const author = `page${world.pages + 1}`;
  const fresh: Tab = { state: initialAutosaveState(author), armed: [], requests: [], shown: 0 };
  let now = spend(setTab({ ...world, pages: world.pages + 1 }, at, fresh), 'pages');
  if (entry) now = resume(now, at, entry);
  const copies = Object.entries(now.copies).map(asCopy);
  return send(now, at, { is: 'found', copies });
}

function resume(world: World, at: number, { id, author }: Entry): World {
  const tab = world.tabs[at];
  if (!tab) return world;
  const held = unsavedCopy(tab.state, id);
  const own = journalKey(id, author);
  const copies = Object.entries(world.copies)
    .filter(([, record]) => record.id === id)
    .map(asCopy)
    .sort((a, b) => Number(b.slot === own) - Number(a.slot === own));
  const atHand = held !== null || copies[0]?.slot === own;
  const shown = toShow(held, copies, atHand ? undefined : world.stored[id]);
  if (!shown) return world;
  const next = show(world, at, shown.record, shown.slot);
  const stale = copies.find(
    ({ record }) =>
      record.text !== shown.record.text && descends(world, record.text, shown.record.text),
  );
  if (!stale) return next;
  const wrong = `edit ${shown.record.text} is opened where ${stale.record.text} goes on from it`;
  return { ...next, wrong: [...next.wrong, wrong] };
}

function show(world: World, at: number, record: SavedSession, slot: string | null): World {
  const tab = world.tabs[at];
  if (!tab) return world;
  const shown = setTab(world, at, { ...tab, shown: Number(record.text) });
  return send(shown, at, { is: 'resumed', record, slot });
}

/** After a reload the page must show what it showed before, or a successor. */
function reload(world: World, at: number, entry: Entry | null): World {
  const before = world.tabs[at];
  const next = startPage(setTab(world, at, null), at, entry);
  const [shown, now] = [before?.shown ?? 0, next.tabs[at]?.shown ?? 0];
  if (world.full || descends(world, String(now), String(shown))) return next;
  return { ...next, wrong: [...next.wrong, `edit ${now} is shown in place of ${shown}`] };
}

/** A page ends: its pending writes are all done or all lost. */
function* ends(world: World, at: number, warned: boolean): Generator<[string, World]> {
  const last = warned ? send(world, at, { is: 'leaving' }) : world;
  const pending = last.tabs[at]?.requests.filter(({ verdict }) => !verdict).length ?? 0;
  yield ['its writes lost', last];
  if (pending === 0) return;
  let done = last;
  last.tabs[at]?.requests.forEach((_, i) => {
    done = commit(done, at, i);
  });
  yield ['its writes done', done];
}

function* movesOfStorage(world: World, at: number, tab: Tab): Generator<Move> {
  const first = tab.requests.findIndex(({ hung, verdict }) => !hung && !verdict);
  for (const [i, { verdict, hung, pending }] of tab.requests.entries()) {
    const name = `${at} ${pending.stamp}`;
    if (verdict) yield { name: `${name} answered`, next: answer(world, at, i) };
    else if (hung || i === first) yield { name: `${name} done`, next: commit(world, at, i) };
    if (hung || world.left.faults === 0) continue;
    const faulty = spend(world, 'faults');
    const silent = setTab(faulty, at, {
      ...tab,
      requests: tab.requests.map((one, k) => (k === i ? { ...one, hung: true } : one)),
    });
    const failed = (why: string): AutosaveEvent => ({ is: 'failed', ...pending, why });
    yield { name: `${name} not answered`, next: send(silent, at, failed('silent')) };
    if (!verdict && i === first) {
      const refused = send(withoutRequest(faulty, at, i), at, failed('refused'));
      yield { name: `${name} refused`, next: refused };
    }
  }
}

function* movesOfPage(world: World, at: number, tab: Tab): Generator<Move> {
  const open = openWork(tab.state);
  const entry = open && { id: open.record.id, author: tab.state.author };
  for (const [how, world2] of ends(world, at, true)) {
    yield { name: `${at} closed, ${how}`, next: setTab(world2, at, null) };
    if (world.left.pages === 0) continue;
    yield { name: `${at} reloaded, ${how}`, next: reload(world2, at, entry) };
  }
  for (const [how, world2] of ends(world, at, false)) {
    yield { name: `${at} killed, ${how}`, next: setTab(world2, at, null) };
  }
}

function* movesOfUser(world: World, at: number, tab: Tab): Generator<Move> {
  if (world.left.edits > 0) yield { name: `${at} edits`, next: edit(spend(world, 'edits'), at) };
  if (world.left.opens === 0) return;
  const spent = spend(world, 'opens');
  if (tab.shown !== 0) {
    const blank = setTab(spent, at, { ...tab, shown: 0 });
    yield { name: `${at} opens another`, next: send(blank, at, { is: 'opened' }) };
  }
  const here = openWork(tab.state)?.record.id;
  const known = new Set([
    ...Object.keys(world.stored),
    ...Object.values(world.copies).map(({ id }) => id),
  ]);
  for (const id of known) {
    if (id === here) continue;
    yield { name: `${at} resumes ${id}`, next: resume(spent, at, { id, author: '' }) };
  }
}

/** All possible next steps. */
export function* moves(world: World): Generator<Move> {
  if (world.left.faults > 0 && !world.full) {
    yield { name: 'no room for copies', next: { ...spend(world, 'faults'), full: true } };
  }
  for (const [at, tab] of world.tabs.entries()) {
    if (!tab) {
      if (world.left.pages > 0) yield { name: `${at} starts`, next: startPage(world, at, null) };
      continue;
    }
    for (const work of tab.armed) yield { name: `${at} due ${work}`, next: ring(world, at, work) };
    yield* movesOfStorage(world, at, tab);
    yield* movesOfUser(world, at, tab);
    yield* movesOfPage(world, at, tab);
  }
}

const MANY_STEPS = 100;

/** Completes everything that is pending. */
export function rest(world: World): World {
  let now: World = { ...world, full: false };
  let steps = 0;
  for (let busy = true; busy; steps++) {
    if (steps > MANY_STEPS) return { ...now, wrong: [...now.wrong, 'it comes to no end'] };
    busy = false;
    for (const at of now.tabs.keys()) {
      const [work] = now.tabs[at]?.armed ?? [];
      if (work !== undefined) now = ring(now, at, work);
      else if (now.tabs[at]?.requests.length) now = answer(commit(now, at, 0), at, 0);
      else continue;
      busy = true;
    }
  }
  return now;
}

/** A new page takes over the copies of the others. */
export const visit = (world: World): World =>
  rest(startPage({ ...world, tabs: [...world.tabs, null] }, world.tabs.length, null));

/** Edits without a successor. */
export const heads = ({ parents }: World): number[] =>
  parents.map((_, text) => text).filter((text) => text > 0 && !parents.includes(text));
