import { beforeEach, describe, expect, test } from 'vitest';
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
