import { beforeEach, describe, expect, test } from 'vitest';
import { notices } from '../../base/notices';
import { recentSessions, recentSessionsError } from '../../base/recent';
import { newRequest } from '../../model/session/request-token';
import { banners, Computer, press, Tab } from './autosave.fixture';
import { AUTOSAVE_DELAY_MS, AUTOSAVE_MAX_WAIT_MS, journalKey } from './autosave-machine';
import { Copies } from './journal';
import type { SavedSession } from './saved-session';

let computer: Computer;
let tab: Tab;
const rest = () => computer.pass(AUTOSAVE_DELAY_MS);

beforeEach(() => {
  notices.setState({ banners: [] });
  recentSessions.setState(null, true);
  recentSessionsError.setState(null, true);
  computer = new Computer();
  tab = new Tab(computer);
});

describe('work', () => {
  test('has one record; a document that was only opened has none', async () => {
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

  test('from a file or a link is stored at once', async () => {
    tab.text = 'of a link, with changes';
    tab.open('crossover', { changes: 2 });
    tab.text = 'of a file';
    tab.open('my machine', { scenario: '' });
    await rest();
    expect(computer.texts()).toEqual(['of a link, with changes', 'of a file']);
  });

  test('whose changes were all undone is stored as such, and not offered again', async () => {
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
    expect(recentSessions.getState()).toEqual([]);
    expect(tab.autosave.of('gt/crossover')).toBeNull();
    tab.open('gfixit');
    await tab.autosave.recent.refresh();
    expect(recentSessions.getState()).toEqual([]);
    tab.open('crossover');
    tab.edit('again');
    expect(recentSessions.getState()?.map(({ changes }) => changes)).toEqual([1]);
  });

  test('has a copy from the edit until the storage has answered', async () => {
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

  test('that changes without a pause is written nevertheless', async () => {
    tab.open('crossover');
    for (let ms = 0; ms <= AUTOSAVE_MAX_WAIT_MS; ms += 50) {
      tab.edit(`at ${ms}`);
      await computer.pass(50);
    }
    expect(computer.texts()).toHaveLength(1);
  });

  test('is written one version at a time, however slow the storage', async () => {
    computer.held = true;
    tab.open('crossover');
    tab.edit('one');
    await rest();
    tab.edit('two');
    await rest();
    tab.edit('three');
    await rest();
    await computer.letGoOn();
    await computer.pass(AUTOSAVE_MAX_WAIT_MS);
    expect(computer.texts()).toEqual(['three']);
    expect(banners()).toEqual([]);
  });

  test('is stored at once when something else is opened', async () => {
    tab.open('crossover');
    tab.edit('mine');
    tab.text = 'untouched';
    tab.open('gfixit');
    await computer.pass(0);
    expect(computer.texts()).toEqual(['mine']);
  });
});

describe('a reload', () => {
  test('finds the last version and continues its record', async () => {
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

  test('loses nothing while the storage is busy or refuses', async () => {
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

  test('after another tab wrote keeps both versions and reports it', async () => {
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
    expect(banners()[0]?.title).toBe('Another tab has a newer version of this session');
    expect(computer.texts().sort()).toEqual(['mine', 'theirs']);
    const again = await next.reload();
    expect(again.text).toBe('mine');
  });
});

test('a copy older than the stored version yields to it', async () => {
  tab.open('crossover');
  tab.edit('one');
  await rest();
  const { id = '', author = '' } = tab.autosave.work.getState() ?? {};
  const [stale] = [...computer.records.values()] as SavedSession[];
  tab.edit('two');
  await rest();
  if (stale)
    new Copies([{ lasts: 'browser', place: () => computer.place }]).put(
      journalKey(id, author),
      stale,
    );
  const next = new Tab(computer);
  await next.autosave.resume(id, author);
  await computer.pass(0);
  expect(next.text).toBe('two');
  expect(computer.copied()).toEqual([]);
  next.edit('three');
  await rest();
  expect(computer.texts()).toEqual(['three']);
});

test('work of a closed tab is stored by the next visit', async () => {
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
  test('reopen at the later version, before and after they are stored', async () => {
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

  test('is never overwritten: both versions are stored before anybody chooses', async () => {
    tab.edit('mine');
    await rest();
    expect(computer.texts()).toEqual(['theirs', 'mine']);
    expect(banners()[0]?.title).toBe('Another tab has a newer version of this session');
    press('Keep this version');
    expect(banners()).toEqual([]);
    tab.edit('mine again');
    other.edit('theirs again');
    await rest();
    expect(computer.texts()).toEqual(['theirs again', 'mine again']);
    expect(banners()).toEqual([]);
  });

  test('may be continued here', async () => {
    tab.edit('mine');
    await rest();
    press('Load the newer version');
    await computer.pass(0);
    expect(tab.text).toBe('theirs');
    expect(banners()).toEqual([]);
    tab.edit('theirs, and then some');
    await rest();
    expect(computer.texts()).toEqual(['theirs, and then some', 'mine']);
  });
});

describe('a storage', () => {
  test('that refuses is reported and retried without another edit', async () => {
    tab.open('crossover');
    computer.full = true;
    tab.edit('one');
    await rest();
    expect(banners()[0]).toMatchObject({ title: 'Your work is not being saved', sticky: true });
    expect(banners()[0]?.detail).toContain('the quota is used up');
    expect(banners()[0]?.detail).toContain('A reload or the next visit finds a copy');
    press('Save as a file');
    expect(tab.saved).toBe(1);
    expect(tab.autosave.endsWithTab).toBe(false);
    await computer.pass(10_000);
    computer.full = false;
    await computer.pass(15_000);
    expect(banners()).toEqual([]);
    expect(computer.texts()).toEqual(['one']);
  });

  const BROWSER = /A reload or the next visit finds a copy, unless the browser clears its data/;
  const TAB = /A copy is kept only until this tab is closed/;
  const PAGE = /No copy can be kept either: the work is lost when this page is closed or reloaded/;
  const STORES = ['keeps', 'refuses', 'never answers'] as const;
  const PLACES = ['browser', 'tab', 'both', 'none'] as const;
  const TABLE = STORES.flatMap((store) => PLACES.map((places) => [store, places] as const));

  test.each(TABLE)(
    'that %s, with room for copies in: %s, is reported correctly',
    async (store, places) => {
      const refuse = () => {
        throw new DOMException('full', 'QuotaExceededError');
      };
      if (places !== 'browser' && places !== 'both') computer.place.setItem = refuse;
      if (places !== 'tab' && places !== 'both') tab.place.setItem = refuse;
      computer.full = store === 'refuses';
      computer.held = store === 'never answers';
      tab.open('crossover');
      tab.edit('one');
      const safe = places === 'browser' || places === 'both';
      expect(tab.autosave.endsWithTab, 'before the storage has answered').toBe(!safe);
      await computer.pass(6000);
      expect(tab.autosave.endsWithTab).toBe(store !== 'keeps' && !safe);
      if (store === 'keeps') return expect(banners()).toEqual([]);
      const promise = safe ? BROWSER : places === 'tab' ? TAB : PAGE;
      expect(banners()[0]?.detail).toMatch(promise);
      for (const other of [BROWSER, TAB, PAGE])
        if (other !== promise) expect(banners()[0]?.detail).not.toMatch(other);

      // The notices about a reload and the next visit must be true.
      const id = tab.autosave.work.getState()?.id ?? '';
      const finds = async (next: Tab) => {
        const resumed = next.autosave.resume(id);
        await computer.pass(6000);
        return (await resumed).is === 'open';
      };
      notices.setState({ banners: [] });
      expect(await finds(new Tab(computer, tab.place)), 'a reload').toBe(places !== 'none');
      if (places === 'tab') expect(banners()[0]?.detail).toMatch(TAB);
      expect(await finds(new Tab(computer)), 'the next visit').toBe(safe);
    },
  );

  test('that refuses two works reports the one that is lost first', async () => {
    computer.full = true;
    const { setItem } = computer.place;
    tab.place.setItem = computer.place.setItem = () => {
      throw new DOMException('full', 'QuotaExceededError');
    };
    tab.open('crossover');
    tab.edit('one');
    await rest();
    computer.place.setItem = setItem;
    tab.open('gfixit');
    tab.edit('two');
    await rest();
    expect(banners()[0]?.title).toBe('“crossover” is not being saved');
    expect(banners()[0]?.detail).toMatch(PAGE);
  });

  test('that never answers is reported, and its late answer counts', async () => {
    computer.held = true;
    void tab.autosave.recent.refresh();
    tab.open('crossover');
    tab.edit('one');
    await computer.pass(6000);
    expect(banners()[0]?.detail).toContain('it does not answer');
    expect(recentSessionsError.getState()).toContain('it does not answer');
    expect(recentSessions.getState()?.map(({ title }) => title)).toEqual(['crossover']);
    await computer.letGoOn();
    expect(banners()).toEqual([]);
    expect(computer.texts()).toEqual(['one']);
    await computer.pass(15_000);
    expect(recentSessionsError.getState()).toBeNull();
  });

  test('that cannot read a record gives the reason', async () => {
    computer.held = true;
    const resumed = tab.autosave.resume('id');
    await computer.pass(6000);
    expect(await resumed).toEqual({ is: 'silent', why: 'it does not answer' });
    await computer.letGoOn();
    expect(await tab.autosave.resume('id')).toEqual({ is: 'missing' });
  });

  test('that answers late leaves a document opened meanwhile', async () => {
    computer.records.set('id', { title: 'Earlier', text: 'earlier' });
    computer.held = true;
    const resumed = tab.autosave.resume('id');
    newRequest();
    tab.open('gfixit');
    await computer.letGoOn();
    expect(await resumed).toEqual({ is: 'overtaken' });
    expect(tab.session.getState()?.title).toBe('gfixit');
  });
});

describe('recent work', () => {
  test('that cannot be opened leaves the session, and its text can be saved', async () => {
    computer.records.set('later', { title: 'Of tomorrow', text: 'of a later version' });
    tab.open('crossover');
    expect(await tab.autosave.resume('later')).toMatchObject({
      is: 'refused',
      record: { title: 'Of tomorrow', text: 'of a later version' },
      result: { problems: [{ sentence: 'It has format version 2.' }] },
    });
    expect(tab.session.getState()?.title).toBe('crossover');
  });

  test('of any shape is listed, and nothing is deleted by itself', async () => {
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

  test('that is deleted is removed with its copies, and can be restored', async () => {
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
    for (const record of records) await tab.autosave.restoreDeleted(record);
    expect(computer.texts()).toEqual(['two']);
    expect(recentSessions.getState()?.map((recent) => recent.id)).toEqual([id]);
  });

  test('is found again when the same page returns to its scenario', async () => {
    tab.open('crossover');
    tab.edit('one');
    await rest();
    tab.open('gfixit');
    expect(tab.autosave.of('gt/gfixit')).toBeNull();
    await tab.autosave.resume(tab.autosave.of('gt/crossover') ?? '');
    expect(tab.text).toBe('one');
  });
});
