import { beforeEach, describe, expect, test } from 'vitest';
import { notices } from '../../base/notices';
import { recentSessions } from '../../base/recent';
import { createStore } from '../../base/store';
import type { OpenSession } from '../session';
import { Autosave } from './autosave';
import { NewerElsewhere, type SavedSession, type Shelf } from './sessions';

/** The storage that all tabs share, in memory. */
class MemoryShelf implements Shelf {
  readonly records = new Map<string, SavedSession>();
  full = false;

  load = async (id: string) => this.records.get(id);
  list = async () => [...this.records.values()].sort((a, b) => b.savedAt - a.savedAt);
  forget = async (id: string) => void this.records.delete(id);
  dropOldest = async () => {};
  overwrite = async (record: SavedSession) => void this.records.set(record.id, record);

  async save(record: SavedSession, expected: string | null): Promise<void> {
    if (this.full) throw new Error('the quota is used up');
    const stored = this.records.get(record.id);
    if (stored && stored.stamp !== expected) throw new NewerElsewhere(stored);
    this.records.set(record.id, record);
  }
}

/** One tab: a session that can be edited, and its autosave. */
class Tab {
  static count = 0;
  readonly session = createStore<OpenSession | null>(null);
  text = '';
  saved = 0;
  #settled: (() => void) | null = null;
  readonly autosave: Autosave;

  constructor(readonly shelf: MemoryShelf) {
    this.autosave = new Autosave({
      session: this.session,
      shelf,
      sessionText: () => this.text,
      openText: async (text) => {
        this.text = text;
        this.open(text, 1);
        return { ok: true };
      },
      saveFile: () => {
        this.saved += 1;
      },
      newId: () => `id${Tab.count++}`,
      now: () => new Date(2025, 10, 20, 10, 42).getTime() + Tab.count,
      settle: (callback) => {
        this.#settled = callback;
      },
    });
  }

  open(title: string, changes = 0, scenario: string | null = `gt/${title}`): void {
    const common = { system: 'GT', kind: 'lab' as const, canUndo: false, canRedo: false };
    const before = this.session.getState();
    this.session.setState(
      {
        ...common,
        title,
        ...(scenario ? { scenario } : {}),
        changes,
        revision: before?.revision ?? 0,
        opened: (before?.opened ?? 0) + 1,
      },
      true,
    );
  }

  /** Lets the storage work on what is waiting. */
  async rest(): Promise<void> {
    this.#settled?.();
    this.#settled = null;
    await new Promise((done) => setTimeout(done));
  }

  async edit(text: string): Promise<void> {
    const now = this.session.getState();
    if (!now) throw new Error('nothing is open');
    this.text = text;
    this.session.setState({ ...now, changes: now.changes + 1, revision: now.revision + 1 }, true);
    await this.rest();
  }
}

const banners = () => notices.getState().banners;
const press = async (title: string) => {
  banners()
    .flatMap((banner) => banner.actions ?? [])
    .find((action) => action.title === title)
    ?.run();
  await new Promise((done) => setTimeout(done));
};

let shelf: MemoryShelf;
let tab: Tab;

beforeEach(() => {
  notices.setState({ banners: [] });
  shelf = new MemoryShelf();
  tab = new Tab(shelf);
});

describe('autosave', () => {
  test('keeps one record per piece of work, and none for what was only opened', async () => {
    tab.open('crossover');
    await tab.rest();
    expect(tab.autosave.current()).toBeNull();
    await tab.edit('one');
    await tab.edit('two');
    expect([...shelf.records.values()].map((record) => record.text)).toEqual(['two']);
    tab.open('gfixit');
    await tab.edit('three');
    expect([...shelf.records.values()].map((record) => record.text)).toEqual(['two', 'three']);
    expect(recentSessions.getState()?.map((recent) => recent.title)).toEqual([
      'gfixit',
      'crossover',
    ]);
  });

  test('keeps at once what a file or a link brought, for a reload would lose it', async () => {
    tab.text = 'of a link, with changes';
    tab.open('crossover', 2);
    await tab.rest();
    tab.text = 'of a file';
    tab.open('my machine', 0, null);
    await tab.rest();
    const texts = [...shelf.records.values()].map((record) => record.text);
    expect(texts).toEqual(['of a link, with changes', 'of a file']);
  });

  test('keeps a session also when all its changes were taken back', async () => {
    tab.open('crossover');
    await tab.edit('one');
    const edited = tab.session.getState();
    tab.text = 'none';
    if (edited)
      tab.session.setState({ ...edited, changes: 0, revision: edited.revision + 1 }, true);
    await tab.rest();
    expect([...shelf.records.values()].map((record) => record.text)).toEqual(['none']);
  });

  test('says so visibly when the browser refuses, goes on trying, and is quiet again when it works', async () => {
    tab.open('crossover');
    shelf.full = true;
    await tab.edit('one');
    expect(banners()[0]).toMatchObject({ title: 'Your work is not being saved', sticky: true });
    expect(banners()[0]?.detail).toContain('the quota is used up');
    await press('Save as a file');
    expect(tab.saved).toBe(1);
    shelf.full = false;
    await tab.edit('two');
    expect(banners()).toEqual([]);
    expect(shelf.records.size).toBe(1);
  });

  test('goes on with the same record after a session is resumed', async () => {
    tab.open('crossover');
    await tab.edit('one');
    const id = tab.autosave.current() ?? '';
    const later = new Tab(shelf);
    expect(await later.autosave.resume(id)).toBe(true);
    await later.edit('two');
    expect(shelf.records.get(id)?.text).toBe('two');
    expect(await later.autosave.resume('unknown')).toBe(false);
  });

  test('takes along what was not written yet when the page was reloaded', async () => {
    tab.open('crossover');
    await tab.edit('one');
    const id = tab.autosave.current() ?? '';
    const reloaded = new Tab(shelf);
    expect(await reloaded.autosave.resume(id, 'two')).toBe(true);
    expect(reloaded.text).toBe('two');
    await reloaded.rest();
    expect(shelf.records.get(id)?.text).toBe('two');
  });

  test('never writes over what another tab wrote: the user chooses', async () => {
    tab.open('crossover');
    await tab.edit('mine');
    const id = tab.autosave.current() ?? '';
    const other = new Tab(shelf);
    await other.autosave.resume(id);
    await other.edit('theirs');

    await tab.edit('mine again');
    expect(banners()[0]?.title).toBe('This session is newer in another tab');
    expect(shelf.records.get(id)?.text).toBe('theirs');
    await tab.edit('mine a third time');
    expect(shelf.records.get(id)?.text).toBe('theirs');

    await press('Keep this one');
    expect(shelf.records.get(id)?.text).toBe('mine a third time');
    expect(banners()).toEqual([]);
  });

  test('or loads the newer one', async () => {
    tab.open('crossover');
    await tab.edit('mine');
    const other = new Tab(shelf);
    await other.autosave.resume(tab.autosave.current() ?? '');
    await other.edit('theirs');
    await tab.edit('mine again');
    await press('Load the newer one');
    expect(tab.text).toBe('theirs');
    await tab.edit('theirs, and then some');
    expect([...shelf.records.values()].map((record) => record.text)).toEqual([
      'theirs, and then some',
    ]);
  });
});
