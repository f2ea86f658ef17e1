import { beforeEach, describe, expect, test } from 'vitest';
import { notices } from '../../base/notices';
import { recentSessions, recentSessionsError } from '../../base/recent';
import { newRequest } from '../../model/session/request-token';
import { banners, Computer, press, Tab } from './autosave.fixture';
import { AUTOSAVE_DELAY_MS } from './autosave-machine';

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
