/**
 * How the work of one tab is saved: a state machine without clock, page or storage. An event returns the next
 * state and the effects to carry out; `autosave.ts` carries them out.
 *
 *             ┌───────────── answered, changed meanwhile ─────────────┐
 *             v                                                       │
 *   edit ─> changed ──(quiet, or too long)──> writing ──answered──> kept ──edit──> changed
 *                                             │ ^ │
 *                     refused, or no answer ──┘ │ └── newer elsewhere: saved as a new record
 *                                  v            │
 *                               refused ──(a while, longer each time)
 *
 * Each edit is first copied, synchronously, to a journal slot that outlives the page. The copy is removed
 * only when the storage confirms that it has this version or a descendant. A record has one write in flight
 * at a time. A version that does not descend from the stored one never replaces it: it becomes a new record,
 * so nobody has to choose before both are safe.
 */
import { descend, latest, type SavedSession, stampOf } from './saved-session';

/** Delay between a change and its write, and the longest delay during steady changes, in milliseconds. */
export const AUTOSAVE_DELAY_MS = 150;
export const AUTOSAVE_MAX_WAIT_MS = 500;
/** Delays in milliseconds before a refused write is retried; the last one repeats. */
const RETRY_MS = [1000, 2000, 4000, 8000, 15_000] as const;

/** The contents of a version, without its place in the version history. */
export type Content = Omit<SavedSession, 'id' | 'stamp' | 'seen'>;

export interface Work {
  /** The newest version of this tab. */
  readonly record: SavedSession;
  readonly phase: 'changed' | 'writing' | 'kept' | 'refused';
  /** Stamp of the version that is being written. */
  readonly writing: string | null;
  /** Time of the oldest change that is not in the write in flight. */
  readonly since: number;
  /** Failed attempts since the last success, and the reason of the last one. */
  readonly failures: number;
  readonly why: string | null;
  /** Journal slots that may hold copies of this work or of its ancestors; its own slot first. */
  readonly slots: readonly string[];
  /** Lifetime of the copy of the newest version. */
  readonly copied: Lasts;
  /** Another tab's version of the record from which this one was separated. */
  readonly other: SavedSession | null;
}

/**
 * What ends the life of a copy: clearing the browser's data, closing the tab, or leaving the page (no copy
 * was made).
 */
export type Lasts = 'browser' | 'tab' | 'page';

export interface AutosaveState {
  /** Id of this page load. */
  readonly author: string;
  /** Versions and works numbered so far. */
  readonly count: number;
  /** Key of the open work; null if the open document has no changes. */
  readonly open: number | null;
  readonly works: Readonly<Record<number, Work>>;
}

export type AutosaveEvent =
  | { readonly is: 'edited'; readonly content: Content; readonly newId: string }
  /** Another document was opened; it has no changes yet. */
  | { readonly is: 'opened' }
  /** A saved session was opened; `slot` is its journal slot if it came from a copy. */
  | { readonly is: 'resumed'; readonly record: SavedSession; readonly slot: string | null }
  /** Orphaned copies: of a closed tab, or of the page before its reload. */
  | { readonly is: 'found'; readonly copies: readonly Copy[] }
  | { readonly is: 'copied'; readonly work: number; readonly lasts: Lasts }
  | { readonly is: 'due'; readonly work: number }
  /** The storage has this version, or one that contains it. */
  | ({ readonly is: 'answered'; readonly stored: SavedSession } & PendingRequest)
  | ({ readonly is: 'failed'; readonly why: string } & PendingRequest)
  | ({ readonly is: 'newer'; readonly other: SavedSession } & PendingRequest)
  /** The page is hidden, frozen or left. It may not run again. */
  | { readonly is: 'leaving' }
  | { readonly is: 'forgotten'; readonly id: string }
  | { readonly is: 'settled'; readonly work: number };

/** The write that an answer belongs to. */
export interface PendingRequest {
  readonly work: number;
  readonly id: string;
  readonly stamp: string;
}

export interface Copy {
  readonly slot: string;
  readonly record: SavedSession;
  readonly lasts: Lasts;
}

export type Effect =
  | {
      readonly do: 'copy';
      readonly work: number;
      readonly slot: string;
      readonly record: SavedSession;
    }
  /** Removes the copy from the slot if this version contains it. */
  | { readonly do: 'drop'; readonly slot: string; readonly record: SavedSession }
  | { readonly do: 'write'; readonly work: number; readonly record: SavedSession }
  /** The storage has a descendant of the open version: open that. */
  | { readonly do: 'show'; readonly record: SavedSession }
  /** Sends `due` after this many milliseconds; replaces an earlier timer of this work. */
  | { readonly do: 'wake'; readonly work: number; readonly after: number };

interface Step {
  readonly state: AutosaveState;
  readonly effects: readonly Effect[];
}

export const initialAutosaveState = (author: string): AutosaveState => ({
  author,
  count: 0,
  open: null,
  works: {},
});

/** The journal slot of a record for one author. */
export const journalKey = (id: string, author: string): string => `${id}@${author}`;

const slotFor = (state: AutosaveState, id: string): string => journalKey(id, state.author);

export const openWork = ({ open, works }: AutosaveState): Work | null =>
  open === null ? null : (works[open] ?? null);

/** The version of a record that this tab holds: its own before those it took over, or a descendant. */
export function unsavedCopy(state: AutosaveState, id: string): SavedSession | null {
  const works = Object.values(state.works).filter(({ record }) => record.id === id);
  const own = works.filter(({ slots }) => slots[0] === slotFor(state, id));
  return latest([...own, ...works].map(({ record }) => record)) ?? null;
}

/** The version that reopening a record shows: the newest; of unrelated ones the tab's own. */
export function toShow(
  held: SavedSession | null,
  copies: readonly Copy[],
  stored: SavedSession | undefined,
): { readonly record: SavedSession; readonly slot: string | null } | null {
  const versions = [
    ...(held ? [held] : []),
    ...(stored ? [stored] : []),
    ...copies.map(({ record }) => record),
  ];
  const record = latest(versions);
  if (!record) return null;
  const inPlace = record === held || record === stored;
  const copy = inPlace ? undefined : copies.find((one) => one.record === record);
  return { record, slot: copy?.slot ?? null };
}

export function step(state: AutosaveState, event: AutosaveEvent, at: number): Step {
  switch (event.is) {
    case 'edited':
      return edited(state, event.content, event.newId, at);
    case 'opened':
      return leaveOpen(state);
    case 'resumed':
      return resume(state, event.record, event.slot);
    case 'found':
      return found(state, event.copies);
    case 'forgotten':
      return forgotten(state, event.id);
    case 'leaving':
      return leaving(state);
    default: {
      const work = state.works[event.work];
      return work ? workEvent(state, work, event, at) : { state, effects: [] };
    }
  }
}

/** Handles an event that concerns one work only. */
function workEvent(
  state: AutosaveState,
  work: Work,
  event: Extract<AutosaveEvent, { readonly work: number }>,
  at: number,
): Step {
  const nothing = { state, effects: [] };
  const key = event.work;
  switch (event.is) {
    case 'copied':
      return { state: put(state, key, { ...work, copied: event.lasts }), effects: [] };
    case 'settled':
      return { state: put(state, key, { ...work, other: null }), effects: [] };
    case 'due':
      return work.phase === 'changed' || work.phase === 'refused' ? write(state, key) : nothing;
    case 'answered':
      return work.record.id === event.id ? answered(state, key, event, at) : nothing;
    case 'failed':
      return isCurrentRequest(work, event) ? failed(state, key, event.why) : nothing;
    case 'newer':
      return isCurrentRequest(work, event) ? fork(state, key, event.other) : nothing;
  }
}

const isCurrentRequest = ({ record, writing }: Work, { id, stamp }: PendingRequest): boolean =>
  record.id === id && writing === stamp;

const put = (state: AutosaveState, key: number, work: Work): AutosaveState => ({
  ...state,
  works: { ...state.works, [key]: work },
});

function without(state: AutosaveState, key: number): AutosaveState {
  const { [key]: _, ...works } = state.works;
  return { ...state, works, open: state.open === key ? null : state.open };
}

/** Adds a work and returns its key. */
function add(state: AutosaveState, work: Work): [AutosaveState, number] {
  const key = state.count + 1;
  return [put({ ...state, count: key }, key, work), key];
}

const started = (record: SavedSession, slots: readonly string[], phase: Work['phase']): Work => ({
  record,
  phase,
  writing: null,
  since: 0,
  failures: 0,
  why: null,
  slots,
  copied: 'browser',
  other: null,
});

/** Runs steps in order and collects their effects. */
function all(state: AutosaveState, doing: readonly ((state: AutosaveState) => Step)[]): Step {
  let now = state;
  const effects: Effect[] = [];
  for (const one of doing) {
    const next = one(now);
    now = next.state;
    effects.push(...next.effects);
  }
  return { state: now, effects };
}

function edited(state: AutosaveState, content: Content, newId: string, at: number): Step {
  const number = state.count + 1;
  const before = openWork(state);
  const id = before?.record.id ?? newId;
  const record: SavedSession = {
    ...content,
    id,
    stamp: stampOf(state.author, number),
    seen: descend(before?.record.seen ?? {}, state.author, number),
  };
  const counted = { ...state, count: number };
  if (!before || state.open === null) {
    const work = { ...started(record, [slotFor(state, id)], 'changed'), since: at };
    const [now, key] = add(counted, work);
    return { state: { ...now, open: key }, effects: [copy(key, work), wake(key, work, at)] };
  }
  const first = before.phase === 'kept' || before.record.stamp === before.writing;
  const work: Work = {
    ...before,
    record,
    phase: before.phase === 'kept' ? 'changed' : before.phase,
    since: first ? at : before.since,
  };
  const effects = [copy(state.open, work)];
  if (work.phase === 'changed') effects.push(wake(state.open, work, at));
  return { state: put(counted, state.open, work), effects };
}

const copy = (key: number, { slots, record }: Work): Effect => ({
  do: 'copy',
  work: key,
  slot: slots[0] ?? '',
  record,
});

const wake = (key: number, { since }: Work, at: number): Effect => ({
  do: 'wake',
  work: key,
  after: Math.max(0, Math.min(AUTOSAVE_DELAY_MS, since + AUTOSAVE_MAX_WAIT_MS - at)),
});

function write(state: AutosaveState, key: number): Step {
  const work = state.works[key];
  if (!work) return { state, effects: [] };
  const { record } = work;
  return {
    state: put(state, key, { ...work, phase: 'writing', writing: record.stamp }),
    effects: [{ do: 'write', work: key, record }],
  };
}

function answered(
  state: AutosaveState,
  key: number,
  { stamp, stored }: Extract<AutosaveEvent, { readonly is: 'answered' }>,
  at: number,
): Step {
  const work = state.works[key];
  if (!work) return { state, effects: [] };
  const calm = { ...work, writing: null, failures: 0, why: null };
  if (stamp === work.record.stamp) {
    const { record, slots } = work;
    const [own] = slots;
    const kept: Work = { ...calm, phase: 'kept', copied: 'browser', slots: own ? [own] : [] };
    const drops = slots.map((slot): Effect => ({ do: 'drop', slot, record }));
    if (state.open !== key) return { state: without(state, key), effects: drops };
    const shows: Effect[] = stored.stamp === stamp ? [] : [{ do: 'show', record: stored }];
    return { state: put(state, key, kept), effects: [...drops, ...shows] };
  }
  if (stamp !== work.writing) return { state, effects: [] };
  const changed: Work = { ...calm, phase: 'changed' };
  return { state: put(state, key, changed), effects: [wake(key, changed, at)] };
}

function failed(state: AutosaveState, key: number, why: string): Step {
  const work = state.works[key];
  if (!work) return { state, effects: [] };
  const after = RETRY_MS[Math.min(work.failures, RETRY_MS.length - 1)] ?? 0;
  const failures = work.failures + 1;
  return {
    state: put(state, key, { ...work, phase: 'refused', writing: null, failures, why }),
    effects: [{ do: 'wake', work: key, after }],
  };
}

/** Continues as a new record. The old copies stay until the storage has the new record. */
function fork(state: AutosaveState, key: number, other: SavedSession): Step {
  const work = state.works[key];
  if (!work) return { state, effects: [] };
  const id = `${work.record.id}~${work.record.stamp}`;
  const own: Work = {
    ...work,
    record: { ...work.record, id },
    slots: [slotFor(state, id), ...work.slots],
    other,
  };
  return all(put(state, key, own), [
    (now) => ({ state: now, effects: [copy(key, own)] }),
    (now) => write(now, key),
  ]);
}

/** Closes the open work; it stays in memory until it is stored. */
function leaveOpen(state: AutosaveState): Step {
  const key = state.open;
  const work = openWork(state);
  if (key === null || !work) return { state: { ...state, open: null }, effects: [] };
  if (work.phase === 'kept') return { state: without(state, key), effects: [] };
  const left = put({ ...state, open: null }, key, { ...work, other: null });
  return work.phase === 'changed' ? write(left, key) : { state: left, effects: [] };
}

function resume(state: AutosaveState, record: SavedSession, slot: string | null): Step {
  const left = leaveOpen(state);
  const own = slotFor(state, record.id);
  const same = Object.entries(left.state.works).find(
    ([, work]) => work.record.id === record.id && work.record.stamp === record.stamp,
  );
  if (same) {
    const [name, work] = same;
    const key = Number(name);
    const others = work.slots.filter((one) => one !== own);
    const mine: Work = { ...work, slots: [own, ...others] };
    const effects = work.slots[0] === own ? [] : [copy(key, mine)];
    return {
      state: { ...put(left.state, key, mine), open: key },
      effects: [...left.effects, ...effects],
    };
  }
  const work = started(record, slot ? [own, slot] : [own], slot ? 'changed' : 'kept');
  const [now, key] = add(left.state, work);
  const open = { ...now, open: key };
  if (!slot) return { state: open, effects: left.effects };
  const next = write(open, key);
  return { ...next, effects: [...left.effects, copy(key, work), ...next.effects] };
}

/** Takes over copies as works to be written; the copies stay until they are stored. */
function found(state: AutosaveState, copies: readonly Copy[]): Step {
  const known = new Set(Object.values(state.works).flatMap((work) => work.slots));
  return all(
    state,
    copies
      .filter(({ slot }) => !known.has(slot))
      .map(({ slot, record, lasts }) => (now: AutosaveState) => {
        const [next, key] = add(now, { ...started(record, [slot], 'changed'), copied: lasts });
        return write(next, key);
      }),
  );
}

function forgotten(state: AutosaveState, id: string): Step {
  const affected = Object.entries(state.works).filter(([, work]) => work.record.id === id);
  return all(
    state,
    affected.map(([key, { slots, record }]) => (now: AutosaveState) => ({
      state: without(now, Number(key)),
      effects: slots.map((slot): Effect => ({ do: 'drop', slot, record })),
    })),
  );
}

function leaving(state: AutosaveState): Step {
  const waiting = Object.entries(state.works).filter(([, work]) => work.phase !== 'kept');
  return all(
    state,
    waiting.map(([name, work]) => (now: AutosaveState) => {
      const key = Number(name);
      const own = work.slots[0] === slotFor(now, work.record.id);
      const again = own ? [copy(key, work)] : [];
      if (work.phase !== 'changed') return { state: now, effects: again };
      const next = write(now, key);
      return { ...next, effects: [...again, ...next.effects] };
    }),
  );
}
