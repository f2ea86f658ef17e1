/**
 * Saves the work of this page: passes events of the open session to `autosave-machine.ts` and carries out its
 * effects in the browser's storage and in the journal. Failures are shown in a banner until they are
 * resolved.
 */
import type { OpenResult } from '../../base/files';
import { createStore, type Readable } from '../../base/store';
import type { IsLatest } from '../../model/session/request-token';
import type { OpenSession } from '../opening/open-document';
import {
  type AutosaveEvent,
  type AutosaveState,
  type Content,
  type Copy,
  type Effect,
  initialAutosaveState,
  journalKey,
  openWork,
  step,
  toShow,
  unsavedCopy,
} from './autosave-machine';
import type { Copies } from './journal';
import { showAutosaveState, warnOlderVersion } from './notices';
import { RecentList } from './recent-list';
import { relation, type SavedSession } from './saved-session';
import type { SessionStore } from './session-store';

export interface AutosaveHost {
  readonly session: Readable<OpenSession | null>;
  readonly sessionStore: SessionStore;
  readonly copies: Copies;
  /** A unique name. */
  newName(): string;
  now(): number;
  /** Calls back after this many milliseconds unless the returned function is called before. */
  after(ms: number, callback: () => void): () => void;
  sessionText(): string;
  /** Taken before the storage is read: a document opened meanwhile takes precedence. */
  newRequest(): IsLatest;
  openText(text: string, title: string, work: string, turn: IsLatest): Promise<OpenResult>;
  saveOpen(): void;
}

/** Identifies the work of a history entry, to find it after a reload. */
export interface WorkName {
  readonly id: string;
  /** The page load that had it. */
  readonly author: string;
}

export type Resumed =
  | { readonly is: 'open' }
  /** Another document was opened meanwhile and stays open. */
  | { readonly is: 'overtaken' }
  /** The record does not exist any more. */
  | { readonly is: 'missing' }
  | { readonly is: 'silent'; readonly why: string }
  | { readonly is: 'refused'; readonly record: SavedSession; readonly result: OpenResult };

/** After this time the storage is reported as not answering; a late answer still counts. */
const SILENCE_MS = 5000;

export class Autosave {
  #state: AutosaveState;
  readonly #timers = new Map<number, () => void>();
  /** Requests to reopen work, by record id. */
  readonly #opening = new Map<
    string,
    Omit<Copy, 'lasts'> | { readonly slot: null; readonly record: SavedSession }
  >();
  /** Id of the last work of this page on each scenario. */
  readonly #ofScenario = new Map<string, string>();
  readonly recent: RecentList;
  /** The open work; null if the open document has no changes. */
  readonly work = createStore<WorkName | null>(null);

  constructor(private readonly host: AutosaveHost) {
    this.#state = initialAutosaveState(host.newName());
    this.recent = new RecentList(() => this.#withTimeout(host.sessionStore.list()), host.after);
    host.session.subscribe((now, before) => this.#follow(now, before));
  }

  /** Takes over the copies that other pages left, and writes them. */
  takeOver(): void {
    this.#send({ is: 'found', copies: this.host.copies.all() });
  }

  /** The page is hidden, frozen or left. It may not run again. */
  leaving(): void {
    this.#send({ is: 'leaving' });
  }

  /** Retries refused writes at once: the page became visible, or the network is back. */
  tryAgain(): void {
    for (const [work, { phase }] of Object.entries(this.#state.works)) {
      if (phase === 'refused') this.#send({ is: 'due', work: Number(work) });
    }
  }

  /** Whether closing this tab would lose work. */
  get endsWithTab(): boolean {
    return Object.values(this.#state.works).some(
      ({ phase, copied }) => phase !== 'kept' && copied !== 'browser',
    );
  }

  /** Id of the work that this page had on a scenario, to continue it on return. */
  of(scenario: string): string | null {
    return this.#ofScenario.get(scenario) ?? null;
  }

  /** Reopens work; later changes go to the same record. `author` is the page load that had it. */
  async resume(id: string, author = ''): Promise<Resumed> {
    if (openWork(this.#state)?.record.id === id) return { is: 'open' };
    const turn = this.host.newRequest();
    const held = unsavedCopy(this.#state, id);
    const own = journalKey(id, author);
    const copies = this.host.copies
      .all()
      .filter(({ record }) => record.id === id)
      .sort((a, b) => Number(b.slot === own) - Number(a.slot === own));
    const atHand = held !== null || copies[0]?.slot === own;
    let stored: SavedSession | undefined;
    try {
      if (!atHand) stored = await this.#withTimeout(this.host.sessionStore.load(id));
    } catch (error) {
      if (turn() && copies.length === 0) return { is: 'silent', why: whyOf(error) };
    }
    if (!turn()) return { is: 'overtaken' };
    const shown = toShow(held, copies, stored);
    return shown ? this.#open(shown.record, shown.slot, turn) : { is: 'missing' };
  }

  async #open(
    record: SavedSession,
    slot: string | null,
    turn = this.host.newRequest(),
  ): Promise<Resumed> {
    const { id, text, title } = record;
    this.#opening.set(id, { record, slot });
    const result = await this.host.openText(text, title, id, turn);
    this.#opening.delete(id);
    if (!result.ok) return { is: 'refused', record, result };
    return { is: result.overtaken ? 'overtaken' : 'open' };
  }

  /** Deletes records; returns what is needed to restore them. */
  async forget(ids: readonly string[]): Promise<SavedSession[]> {
    const copies = this.host.copies.all().map(({ record }) => record);
    const records: SavedSession[] = [];
    for (const id of ids) {
      const found =
        unsavedCopy(this.#state, id) ??
        copies.find((record) => record.id === id) ??
        (await this.#withTimeout(this.host.sessionStore.load(id)));
      if (found) records.push(found);
    }
    await this.#withTimeout(this.host.sessionStore.forget(ids));
    for (const id of ids) {
      this.#send({ is: 'forgotten', id });
      this.host.copies.forget(id);
      for (const [scenario, work] of this.#ofScenario)
        if (work === id) this.#ofScenario.delete(scenario);
    }
    this.recent.drop(ids);
    return records;
  }

  async restoreDeleted(record: SavedSession): Promise<void> {
    await this.#withTimeout(this.host.sessionStore.save(record));
    this.recent.add(record);
  }

  #follow(now: OpenSession | null, before: OpenSession | null): void {
    if (!now) return;
    if (now.opened !== before?.opened) {
      const resumed = now.work === undefined ? undefined : this.#opening.get(now.work);
      this.#send(resumed ? { is: 'resumed', ...resumed } : { is: 'opened' });
      if (resumed || !now.own) return;
    } else if (now.revision === before.revision) return;
    if (!now.own && !openWork(this.#state)) return;
    this.#send({ is: 'edited', content: this.#contentOf(now), newId: this.host.newName() });
  }

  #contentOf({ title, system, kind, scenario, changes, own }: OpenSession): Content {
    const { now, sessionText } = this.host;
    const facts = { title, system, kind, changes, own, savedAt: now(), text: sessionText() };
    return scenario ? { ...facts, scenario } : facts;
  }

  #send(event: AutosaveEvent): void {
    const { state, effects } = step(this.#state, event, this.host.now());
    this.#state = state;
    for (const effect of effects) this.#carryOut(effect);
    this.#publishOpenWork();
  }

  #carryOut(effect: Effect): void {
    const { copies, after } = this.host;
    switch (effect.do) {
      case 'copy':
        this.#send({
          is: 'copied',
          work: effect.work,
          lasts: copies.put(effect.slot, effect.record),
        });
        return;
      case 'drop':
        copies.drop(effect.slot, effect.record);
        return;
      case 'show':
        void this.#open(effect.record, null);
        warnOlderVersion(effect.record);
        return;
      case 'write':
        this.#write(effect.work, effect.record);
        return;
      case 'wake': {
        const { work } = effect;
        this.#timers.get(work)?.();
        this.#timers.set(
          work,
          after(effect.after, () => this.#send({ is: 'due', work })),
        );
      }
    }
  }

  #write(work: number, record: SavedSession): void {
    const asked = { work, id: record.id, stamp: record.stamp };
    const failed = (why: string) => {
      this.host.sessionStore.reconnect();
      this.#send({ is: 'failed', ...asked, why });
    };
    this.#timers.get(work)?.();
    this.#timers.delete(work);
    const answered = this.host.after(SILENCE_MS, () => failed(SILENT));
    this.host.sessionStore
      .save(record)
      .finally(answered)
      .then(
        (stored) => {
          const apart = relation(record, stored) === 'apart';
          if (!apart) this.recent.add(stored);
          this.#send(
            apart ? { is: 'newer', ...asked, other: stored } : { is: 'answered', ...asked, stored },
          );
        },
        (error: unknown) => failed(whyOf(error)),
      );
  }

  /** The storage's answer, or an error after a timeout. */
  async #withTimeout<T>(answer: Promise<T>): Promise<T> {
    const { after, sessionStore } = this.host;
    let answered = () => {};
    const silence = new Promise<never>((_, reject) => {
      answered = after(SILENCE_MS, () => reject(new Error(SILENT)));
    });
    try {
      return await Promise.race([answer, silence]);
    } catch (error) {
      sessionStore.reconnect();
      throw error;
    } finally {
      answered();
    }
  }

  #publishOpenWork(): void {
    const open = openWork(this.#state);
    const { author } = this.#state;
    const id = open?.record.id ?? null;
    if (id !== (this.work.getState()?.id ?? null))
      this.work.setState(id ? { id, author } : null, true);
    if (open?.record.scenario) {
      if (open.record.own) this.#ofScenario.set(open.record.scenario, open.record.id);
      else this.#ofScenario.delete(open.record.scenario);
    }
    this.recent.setUnsaved(Object.values(this.#state.works).map(({ record }) => record));
    showAutosaveState(this.#state, this.host.now(), {
      saveOpen: this.host.saveOpen,
      load: (other) => void this.resume(other),
      stay: (work) => this.#send({ is: 'settled', work }),
    });
  }
}

const SILENT = 'it does not answer';

/** A reason, worded as the end of a sentence. */
export function whyOf(error: unknown): string {
  if (error instanceof DOMException && error.name === 'QuotaExceededError')
    return 'there is no room left';
  return error instanceof Error && error.message ? error.message : String(error);
}
