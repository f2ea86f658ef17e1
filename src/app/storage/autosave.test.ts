import { beforeEach, describe, expect, test } from 'vitest';
import { notices } from '../../base/notices';
import { recentSessions, recentTrouble } from '../../base/recent';
import { createStore } from '../../base/store';
import type { OpenSession } from '../session';
import { Autosave } from './autosave';
import { Copies, type Place } from './copies';
import { LONGEST_WAIT_MS, QUIET_MS, slotOf } from './keeping';
import { readRecord, relation, type SavedSession } from './record';
import type { Shelf } from './sessions';

/** What all tabs share, in memory. Its storage may be full, or answer nothing until it is let go on. */
class Computer implements Shelf {
  readonly records = new Map<string, unknown>();
  readonly local = new Map<string, string>();
  full = false;
  held = false;
  time = new Date(2025, 10, 20, 10, 42).getTime();
  readonly #timers = new Set<{ readonly at: number; readonly callback: () => void }>();
  readonly #waiting: (() => void)[] = [];

  readonly place: Place = ((local) => ({
    get length() {
      return local.size;
    },
    key: (index) => [...local.keys()][index] ?? null,
    getItem: (key) => local.get(key) ?? null,
    setItem: (key, value) => void local.set(key, value),
    removeItem: (key) => void local.delete(key),
  }))(this.local);

  after = (ms: number, callback: () => void): (() => void) => {
    const timer = { at: this.time + ms, callback };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  };

  /** Lets time pass, and the storage answer meanwhile. */
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

/** One tab: a session that can be edited, and its autosave. */
class Tab {
  static count = 0;
  readonly session = createStore<OpenSession | null>(null);
  text = '';
  saved = 0;
  readonly autosave: Autosave;

  constructor(readonly computer: Computer) {
    this.autosave = new Autosave({
      session: this.session,
      shelf: computer,
      copies: new Copies([() => computer.place]),
      sessionText: () => this.text,
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

  /** The tab as it is after a reload: another page that looks for the work of this one. */
  async reload(): Promise<Tab> {
    this.autosave.leaving();
    const name = this.autosave.work.getState();
    const next = new Tab(this.computer);
    if (name) await next.autosave.resume(name.id, name.author);
    next.autosave.takeOver();
    return next;
  }
}

const banners = () => notices.getState().banners;
const press = (title: string) =>
  banners()
    .flatMap((banner) => banner.actions ?? [])
    .find((action) => action.title === title)
    ?.run();

let computer: Computer;
let tab: Tab;
const rest = () => computer.pass(QUIET_MS);

beforeEach(() => {
  notices.setState({ banners: [] });
  recentSessions.setState(null, true);
  recentTrouble.setState(null, true);
  computer = new Computer();
  tab = new Tab(computer);
});

describe('work', () => {
  test('has one record, and what was only opened has none', async () => {
    tab.open('crossover');
    await rest();
    expect(tab.autosave.work.getState()).toBeNull();
    tab.edit('one');
    await rest();
    tab.edit('two');
    await rest();
    expect(computer.texts()).toEqual(['two']);
    tab.open('gfixit');
    computer.time += 1;
    tab.edit('three');
    await rest();
    expect(computer.texts()).toEqual(['two', 'three']);
    const titles = recentSessions.getState()?.map(({ title }) => title);
    expect(titles).toEqual(['gfixit', 'crossover']);
  });

  test('that a file or a link brought is kept at once', async () => {
    tab.text = 'of a link, with changes';
    tab.open('crossover', { changes: 2 });
    tab.text = 'of a file';
    tab.open('my machine', { scenario: '' });
    await rest();
    expect(computer.texts()).toEqual(['of a link, with changes', 'of a file']);
  });

  test('of which all changes were taken back is kept like that', async () => {
    tab.open('crossover');
    tab.edit('one');
    await rest();
    const edited = tab.session.getState();
    tab.text = 'none';
    if (edited)
      tab.session.setState(
        { ...edited, changes: 0, own: false, revision: edited.revision + 1 },
        true,
      );
    await rest();
    expect(computer.texts()).toEqual(['none']);
  });

  test('has a copy from the moment of the edit until the storage has answered', async () => {
    computer.held = true;
    tab.open('crossover');
    tab.edit('one');
    expect(computer.copied()).toEqual(['one']);
    await rest();
    tab.edit('two');
    expect(computer.copied()).toEqual(['two']);
    await computer.letGoOn();
    await rest();
    expect(computer.texts()).toEqual(['two']);
    expect(computer.copied()).toEqual([]);
  });

  test('that goes on without a pause is written all the same', async () => {
    tab.open('crossover');
    for (let ms = 0; ms <= LONGEST_WAIT_MS; ms += 50) {
      tab.edit(`at ${ms}`);
      await computer.pass(50);
    }
    expect(computer.texts()).toHaveLength(1);
  });

  test('is written one version after the other, however slow the storage', async () => {
    computer.held = true;
    tab.open('crossover');
    tab.edit('one');
    await rest();
    tab.edit('two');
    await rest();
    tab.edit('three');
    await rest();
    await computer.letGoOn();
    await computer.pass(LONGEST_WAIT_MS);
    expect(computer.texts()).toEqual(['three']);
    expect(banners()).toEqual([]);
  });

  test('is kept when something else is opened at once', async () => {
    tab.open('crossover');
    tab.edit('mine');
    tab.text = 'untouched';
    tab.open('gfixit');
    await computer.pass(0);
    expect(computer.texts()).toEqual(['mine']);
  });
});

describe('a reload', () => {
  test('finds the version of the last moment, and goes on with its record', async () => {
    tab.open('crossover');
    tab.edit('one');
    await rest();
    tab.edit('two');
    const next = await tab.reload();
    expect(next.text).toBe('two');
    next.edit('three');
    await rest();
    expect(computer.texts()).toEqual(['three']);
    expect(computer.copied()).toEqual([]);
    expect(banners()).toEqual([]);
  });

  test('while the storage is busy, or refuses, loses nothing', async () => {
    computer.held = true;
    tab.open('crossover');
    tab.edit('one');
    await rest();
    expect((await tab.reload()).text).toBe('one');
    await computer.letGoOn();
    computer.full = true;
    const next = await tab.reload();
    next.edit('two');
    await rest();
    expect((await next.reload()).text).toBe('two');
  });

  test('after another tab wrote keeps both, and says so', async () => {
    tab.open('crossover');
    tab.edit('common');
    await rest();
    const other = new Tab(computer);
    await other.autosave.resume(tab.autosave.work.getState()?.id ?? '');
    tab.edit('mine');
    other.edit('theirs');
    other.autosave.leaving();
    await computer.pass(0);
    const next = await tab.reload();
    await rest();
    expect(next.text).toBe('mine');
    expect(banners()[0]?.title).toBe('This session is newer in another tab');
    expect(computer.texts().sort()).toEqual(['mine', 'theirs']);
    const again = await next.reload();
    expect(again.text).toBe('mine');
  });
});

test('a copy that the storage has gone beyond gives way to the newer version', async () => {
  tab.open('crossover');
  tab.edit('one');
  await rest();
  const { id = '', author = '' } = tab.autosave.work.getState() ?? {};
  const [stale] = [...computer.records.values()] as SavedSession[];
  tab.edit('two');
  await rest();
  if (stale) new Copies([() => computer.place]).put(slotOf(id, author), stale);
  const next = new Tab(computer);
  await next.autosave.resume(id, author);
  await computer.pass(0);
  expect(next.text).toBe('two');
  expect(computer.copied()).toEqual([]);
  next.edit('three');
  await rest();
  expect(computer.texts()).toEqual(['three']);
});

test('a closed tab leaves its work to the next visit', async () => {
  computer.held = true;
  tab.open('crossover');
  tab.edit('mine');
  tab.autosave.leaving();
  const visit = new Computer();
  for (const [key, value] of computer.local) visit.local.set(key, value);
  new Tab(visit).autosave.takeOver();
  await visit.pass(0);
  expect(visit.texts()).toEqual(['mine']);
  expect(visit.local.size).toBe(0);
});

describe.each(['as they lie', 'the other way round'])('copies of two pages, %s', (order) => {
  test('are opened at the one that goes on from the other, before and after they are kept', async () => {
    computer.held = true;
    tab.open('crossover');
    tab.edit('one');
    const again = await tab.reload();
    again.edit('two');
    again.autosave.leaving();
    const { id = '' } = again.autosave.work.getState() ?? {};
    const copies = [...computer.local];
    expect(copies).toHaveLength(2);
    for (const takesOver of [true, false]) {
      const visit = new Computer();
      visit.held = true;
      for (const [key, value] of order === 'as they lie' ? copies : copies.toReversed())
        visit.local.set(key, value);
      const next = new Tab(visit);
      if (takesOver) next.autosave.takeOver();
      const opened = next.autosave.resume(id);
      await visit.letGoOn();
      await opened;
      await visit.pass(0);
      expect(next.text).toBe('two');
    }
  });
});

describe('another tab', () => {
  let other: Tab;

  beforeEach(async () => {
    tab.open('crossover');
    tab.edit('common');
    await rest();
    other = new Tab(computer);
    await other.autosave.resume(tab.autosave.work.getState()?.id ?? '');
    other.edit('theirs');
    await rest();
  });

  test('is never written over: both are kept before anybody chooses', async () => {
    tab.edit('mine');
    await rest();
    expect(computer.texts()).toEqual(['theirs', 'mine']);
    expect(banners()[0]?.title).toBe('This session is newer in another tab');
    press('Stay with this one');
    expect(banners()).toEqual([]);
    tab.edit('mine again');
    other.edit('theirs again');
    await rest();
    expect(computer.texts()).toEqual(['theirs again', 'mine again']);
    expect(banners()).toEqual([]);
  });

  test('may be gone on with', async () => {
    tab.edit('mine');
    await rest();
    press('Load the newer one');
    await computer.pass(0);
    expect(tab.text).toBe('theirs');
    expect(banners()).toEqual([]);
    tab.edit('theirs, and then some');
    await rest();
    expect(computer.texts()).toEqual(['theirs, and then some', 'mine']);
  });
});

describe('a storage', () => {
  test('that refuses is said to, and tried again without another edit', async () => {
    tab.open('crossover');
    computer.full = true;
    tab.edit('one');
    await rest();
    expect(banners()[0]).toMatchObject({ title: 'Your work is not being saved', sticky: true });
    expect(banners()[0]?.detail).toContain('the quota is used up');
    expect(banners()[0]?.detail).toContain('A copy lies where a reload');
    press('Save as a file');
    expect(tab.saved).toBe(1);
    expect(tab.autosave.onlyHere).toBe(false);
    await computer.pass(10_000);
    computer.full = false;
    await computer.pass(15_000);
    expect(banners()).toEqual([]);
    expect(computer.texts()).toEqual(['one']);
  });

  test('that has no room for copies either makes the page the only place', async () => {
    computer.full = true;
    computer.place.setItem = () => {
      throw new Error('full');
    };
    tab.open('crossover');
    tab.edit('one');
    await rest();
    expect(banners()[0]?.detail).toContain('There is no room for a copy either');
    expect(tab.autosave.onlyHere).toBe(true);
  });

  test('that never answers is said to, and its late answer counts', async () => {
    computer.held = true;
    void tab.autosave.recent.refresh();
    tab.open('crossover');
    tab.edit('one');
    await computer.pass(6000);
    expect(banners()[0]?.detail).toContain('it does not answer');
    expect(recentTrouble.getState()).toContain('it does not answer');
    expect(recentSessions.getState()?.map(({ title }) => title)).toEqual(['crossover']);
    await computer.letGoOn();
    expect(banners()).toEqual([]);
    expect(computer.texts()).toEqual(['one']);
    await computer.pass(15_000);
    expect(recentTrouble.getState()).toBeNull();
  });

  test('that gives no record says why', async () => {
    computer.held = true;
    const resumed = tab.autosave.resume('id');
    await computer.pass(6000);
    expect(await resumed).toEqual({ is: 'silent', why: 'it does not answer' });
    await computer.letGoOn();
    expect(await tab.autosave.resume('id')).toEqual({ is: 'missing' });
  });
});

describe('recent work', () => {
  test('that cannot be opened leaves the session, and its text can be had', async () => {
    computer.records.set('later', { title: 'Of tomorrow', text: 'of a later version' });
    tab.open('crossover');
    expect(await tab.autosave.resume('later')).toMatchObject({
      is: 'refused',
      record: { title: 'Of tomorrow', text: 'of a later version' },
      result: { problems: [{ sentence: 'It has format version 2.' }] },
    });
    expect(tab.session.getState()?.title).toBe('crossover');
  });

  test('of any shape is listed, and nothing goes by itself', async () => {
    const shapes = [null, 7, 'text', [], { title: {} }, { savedAt: 1e300 }, { savedAt: 'noon' }];
    for (const [index, shape] of shapes.entries()) computer.records.set(`odd${index}`, shape);
    for (let index = 0; index < 60; index++)
      computer.records.set(`plain${index}`, { title: 'Plain', savedAt: index });
    await tab.autosave.recent.refresh();
    const listed = recentSessions.getState() ?? [];
    expect(listed).toHaveLength(67);
    for (const { title, savedAt } of listed) {
      expect(title).not.toBe('');
      expect(() => new Date(savedAt).toISOString()).not.toThrow();
    }
  });

  test('that is forgotten goes with its copies, and can be brought back', async () => {
    tab.open('crossover');
    tab.edit('one');
    await rest();
    tab.edit('two');
    const id = tab.autosave.work.getState()?.id ?? '';
    const records = await tab.autosave.forget([id]);
    await rest();
    expect(computer.texts()).toEqual([]);
    expect(computer.copied()).toEqual([]);
    expect(recentSessions.getState()).toEqual([]);
    expect(tab.autosave.work.getState()).toBeNull();
    await tab.autosave.bringBack(records);
    expect(computer.texts()).toEqual(['two']);
    expect(recentSessions.getState()?.map((recent) => recent.id)).toEqual([id]);
  });

  test('is found again where the same page comes back to its scenario', async () => {
    tab.open('crossover');
    tab.edit('one');
    await rest();
    tab.open('gfixit');
    expect(tab.autosave.of('gt/gfixit')).toBeNull();
    await tab.autosave.resume(tab.autosave.of('gt/crossover') ?? '');
    expect(tab.text).toBe('one');
  });
});
