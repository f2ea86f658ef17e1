import { beforeEach, describe, expect, test } from 'vitest';
import { differencesOf } from '../report/comparison';
import { readDocument } from './document-file';
import { saveText, setParam, undoEdit } from './editing';
import { forkMachine, forkNamed, keepFork, openFork, removeFork, renameFork } from './forks';
import { openScenario, openText } from './opening';
import { session } from './session';

const PATH = 'driver.read_threshold';
const edit = (value: number) => setParam(PATH, value, { commit: true });
const threshold = (machine = session.getState().machine) =>
  machine?.parts.flatMap(({ params }) => params).find(({ path }) => path === PATH)?.value;

beforeEach(async () => {
  await openScenario('gt/gfixit');
});

describe('a fork', () => {
  test('keeps its version while the open one changes, and is restored as one undo step', async () => {
    edit(64);
    const fork = keepFork({ timePs: 46.4, events: 7 });
    edit(256);
    expect(forkNamed('A')).toMatchObject({ name: 'A', timePs: 46, events: 7 });
    const kept = await forkMachine('A');
    expect(kept.ok && threshold(kept.value)).toBe(64n);
    expect(fork && (await openFork(fork))).toBeNull();
    expect(threshold()).toBe(64n);
    expect(session.getState().cursor).toBe(7);
    undoEdit();
    expect(threshold()).toBe(256n);
  });

  test('has the next free letter, another name on request, and no name twice', () => {
    const at = { timePs: 0, events: 0 };
    for (const name of ['A', 'B', 'C']) expect(keepFork(at)?.name).toBe(name);
    expect(renameFork('A', 'before the fix')).toBe(true);
    expect(renameFork('B', 'C')).toBe(false);
    removeFork('B');
    expect(keepFork(at)?.name).toBe('A');
    expect(
      session
        .getState()
        .forks.map(({ name }) => name)
        .sort(),
    ).toEqual(['A', 'C', 'before the fix']);
  });

  test('is part of the saved session, and runs after it was opened again', async () => {
    edit(64);
    keepFork({ timePs: 100, events: 3 });
    edit(256);
    const text = saveText();
    await openScenario('start/bus');
    expect(session.getState().forks).toEqual([]);
    expect((await openText(text, 'saved.json')).ok).toBe(true);
    expect(threshold()).toBe(256n);
    const kept = await forkMachine('A');
    expect(kept.ok && threshold(kept.value)).toBe(64n);
  });

  test('that is gone has no machine, and a file with too many is refused', async () => {
    expect(await forkMachine('A')).toMatchObject({ ok: false });
    keepFork({ timePs: 0, events: 0 });
    const document = JSON.parse(saveText());
    document.forks = Array.from({ length: 27 }, () => document.forks[0]);
    expect(readDocument(JSON.stringify(document)).ok).toBe(false);
  });
});

test('a fork with another program differs from the open version at its first other row', async () => {
  await openScenario('start/bus');
  const text = (row: string) =>
    JSON.stringify({
      ...{ busyard: 1, title: 'Two rows', summary: 'Stores.', system: 'own', until: '1 ms' },
      ...{ machine: { extends: 'one-card' }, view: { kind: 'machine' } },
      workload: { cpu: [{ do: 'io_store', to: '0x80000000' }, JSON.parse(row)] },
    });
  const sideOf = async (row: string) => {
    await openText(text(row), 'rows.json');
    const { data, machine } = session.getState();
    if (!data || !machine) throw new Error('The text was refused.');
    const name = { at: [], edited: true };
    return { data, side: { name, title: '', machine, commands: [], recording: null } };
  };
  const a = await sideOf('{ "do": "io_load", "from": "0x80000000" }');
  const b = await sideOf('{ "do": "spend", "time": "1 us" }');
  expect(differencesOf(a.data, a.side, b.side)).toEqual([
    {
      title: 'Processor: program from row 2 on',
      a: 'io_load, 2\u00a0rows',
      b: 'spend, 2\u00a0rows',
    },
  ]);
  expect(differencesOf(a.data, a.side, a.side)).toEqual([]);
});
