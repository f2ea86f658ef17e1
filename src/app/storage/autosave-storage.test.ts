import { beforeEach, describe, expect, test } from 'vitest';
import { notices } from '../../base/notices';
import { recentSessions, recentTrouble } from '../../base/recent';
import { takeTurn } from '../../model/session/turn';
import { banners, Computer, press, Tab } from './autosave.fixture';
import { QUIET_MS } from './keeping';

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

  test('that gives a record late leaves what was opened meanwhile', async () => {
    computer.records.set('id', { title: 'Earlier', text: 'earlier' });
    computer.held = true;
    const resumed = tab.autosave.resume('id');
    takeTurn();
    tab.open('gfixit');
    await computer.letGoOn();
    expect(await resumed).toEqual({ is: 'overtaken' });
    expect(tab.session.getState()?.title).toBe('gfixit');
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
    for (const record of records) await tab.autosave.bringBack(record);
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
