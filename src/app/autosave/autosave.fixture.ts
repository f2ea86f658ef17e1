import { notices } from '../../base/notices';
import { createStore } from '../../base/store';
import { newRequest } from '../../model/session/request-token';
import type { OpenSession } from '../opening/open-document';
import { Autosave } from './autosave';
import { Copies, type Place } from './journal';
import { readRecord, relation, type SavedSession } from './saved-session';
import type { SessionStore } from './session-store';

const inMemory = (items: Map<string, string>): Place => ({
  get length() {
    return items.size;
  },
  key: (index) => [...items.keys()][index] ?? null,
  getItem: (key) => items.get(key) ?? null,
  setItem: (key, value) => void items.set(key, value),
  removeItem: (key) => void items.delete(key),
});

/** The state that tabs share, in memory. Its storage can be full, or withhold answers until released. */
export class Computer implements SessionStore {
  readonly records = new Map<string, unknown>();
  readonly local = new Map<string, string>();
  full = false;
  held = false;
  time = new Date(2025, 10, 20, 10, 42).getTime();
  readonly #timers = new Set<{ readonly at: number; readonly callback: () => void }>();
  readonly #waiting: (() => void)[] = [];

  readonly place: Place = inMemory(this.local);

  after = (ms: number, callback: () => void): (() => void) => {
    const timer = { at: this.time + ms, callback };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  };

  /** Advances the time; the storage answers meanwhile. */
  async pass(ms: number): Promise<void> {
    for (const end = this.time + ms; ; ) {
      await new Promise((done) => setTimeout(done));
      const [next] = [...this.#timers].sort((a, b) => a.at - b.at);
      if (!next || next.at > end) {
        this.time = end;
        return;
      }
      this.#timers.delete(next);
      this.time = Math.max(this.time, next.at);
      next.callback();
    }
  }

  async letGoOn(): Promise<void> {
    this.held = false;
    for (const go of this.#waiting.splice(0)) go();
    await this.pass(0);
  }

  async #turn(): Promise<void> {
    if (this.held) await new Promise<void>((go) => this.#waiting.push(go));
  }

  async load(id: string) {
    await this.#turn();
    return this.records.has(id) ? readRecord(id, this.records.get(id)) : undefined;
  }

  async list() {
    await this.#turn();
    return [...this.records].map(([id, found]) => readRecord(id, found));
  }

  async save(record: SavedSession) {
    await this.#turn();
    if (this.full) throw new Error('the quota is used up');
    const there = this.records.get(record.id);
    const mine = !there || relation(record, readRecord(record.id, there)) === 'newer';
    if (mine) this.records.set(record.id, record);
    return mine ? record : readRecord(record.id, there);
  }

  async forget(ids: readonly string[]) {
    for (const id of ids) this.records.delete(id);
  }

  reconnect() {}

  texts = () => [...this.records.values()].map((record) => (record as SavedSession).text);
  copied = () =>
    [...this.local.values()].map((text) => (JSON.parse(text) as { text: string }).text);
}

/** One tab: an editable session and its autosave. */
export class Tab {
  static count = 0;
  readonly session = createStore<OpenSession | null>(null);
  text = '';
  saved = 0;
  readonly autosave: Autosave;

  constructor(
    readonly computer: Computer,
    /** Storage of the tab that survives reloads. */
    readonly place: Place = inMemory(new Map()),
  ) {
    this.autosave = new Autosave({
      session: this.session,
      sessionStore: computer,
      copies: new Copies([
        { lasts: 'browser', place: () => computer.place },
        { lasts: 'tab', place: () => place },
      ]),
      sessionText: () => this.text,
      newRequest,
      openText: async (text, title, work) => {
        if (text === 'of a later version')
          return {
            ok: false,
            title: '',
            problems: [{ place: '', sentence: 'It has format version 2.' }],
          };
        this.text = text;
        this.open(title, { changes: 1, work });
        return { ok: true };
      },
      saveOpen: () => {
        this.saved += 1;
      },
      newName: () => `n${Tab.count++}`,
      now: () => computer.time,
      after: computer.after,
    });
  }

  open(title: string, { changes = 0, scenario = `gt/${title}`, work = '' } = {}): void {
    const before = this.session.getState();
    this.session.setState(
      {
        ...{ system: 'GT', kind: 'lab', canUndo: false, canRedo: false, title, changes },
        ...(scenario ? { scenario } : {}),
        ...(work ? { work } : {}),
        own: changes > 0 || !scenario,
        revision: before?.revision ?? 0,
        opened: (before?.opened ?? 0) + 1,
      },
      true,
    );
  }

  edit(text: string): void {
    const now = this.session.getState();
    if (!now) throw new Error('nothing is open');
    const changes = now.changes + 1;
    this.text = text;
    this.session.setState({ ...now, changes, own: true, revision: now.revision + 1 }, true);
  }

  /** Reloads the tab: a new page looks for the work of this one. */
  async reload(): Promise<Tab> {
    this.autosave.leaving();
    const name = this.autosave.work.getState();
    const next = new Tab(this.computer, this.place);
    if (name) await next.autosave.resume(name.id, name.author);
    next.autosave.takeOver();
    return next;
  }
}

export const banners = () => notices.getState().banners;
export const press = (title: string) =>
  banners()
    .flatMap((banner) => banner.actions ?? [])
    .find((action) => action.title === title)
    ?.run();
