import { readFileSync } from 'node:fs';
import { createInflateRaw, deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { fileOf, fileText, removePart } from '../builder/build-file';
import { listScenarios, readText } from '../scenario/scenarios';
import { answers, clearAnswers, mergeAnswers } from './answers';
import { engineCommands } from './commands';
import { MAX_SESSION_BYTES } from './document';
import { readDocument } from './document-file';
import {
  addCommand,
  canCheckDrivers,
  canWatch,
  currentDocument,
  redoEdit,
  resetAll,
  runBuilt,
  saveText,
  setBuilt,
  setEdits,
  setLesson,
  setParam,
  setPrograms,
  setVariables,
  toggleChecked,
  toggleWatched,
  undoEdit,
} from './editing';
import { openShare } from './opening';
import { session, setCursor, toggleBookmark } from './session';
import { loadedSessionModule, openScenario, openText } from './session-module';
import { decodeDocument, encodeDocument } from './share';

const first = listScenarios().find(({ id }) => id === 'gt/crossover');
if (!first) throw new Error('No scenario is shipped.');

/** A parameter of the open scenario that can change while the machine runs. */
function liveParam(): string {
  const params = session.getState().machine?.parts.flatMap((part) => part.params) ?? [];
  const found = params.find((param) => param.spec.change === 'live' && param.spec.type === 'time');
  if (!found) throw new Error('The scenario has no live time.');
  return found.path;
}

beforeEach(async () => {
  expect(await openScenario(first.id)).toEqual({ ok: true });
});

test('opening a session loads the session module', () => {
  expect(loadedSessionModule()?.saveText()).toBe(saveText());
});

describe('edits', () => {
  test('apply at once, keep the previous value for the ghost, and can be undone', () => {
    const path = liveParam();
    setParam(path, '1.5 us', { commit: false });
    setParam(path, '2 us', { commit: false });
    expect(session.getState()).toMatchObject({
      edits: { [path]: '2 us' },
      before: {},
      dragging: true,
    });
    setParam(path, '2.5 us', { commit: true });
    expect(session.getState()).toMatchObject({ changes: 1, canUndo: true, dragging: false });
    undoEdit();
    expect(session.getState()).toMatchObject({ edits: {}, changes: 0, canRedo: true });
    redoEdit();
    expect(session.getState().edits).toEqual({ [path]: '2.5 us' });
    resetAll();
    expect(session.getState()).toMatchObject({ edits: {}, canUndo: true });
  });

  test('back to the original value are removed', () => {
    const path = liveParam();
    const original = session
      .getState()
      .machine?.parts.flatMap((part) => part.params)
      .find((param) => param.path === path)?.original;
    setParam(path, '2 us', { commit: true });
    setParam(path, `${original} ps`, { commit: true });
    expect(session.getState().changes).toBe(0);
  });

  test('that are refused report why and change nothing', () => {
    const before = session.getState();
    const refused = setParam(liveParam(), '5 MHz', { commit: true });
    expect(refused?.message).toContain('"5 MHz" is not a time');
    expect(session.getState()).toBe(before);
  });

  test('compile into another machine', () => {
    const before = session.getState().machine?.config;
    setParam(liveParam(), '2 us', { commit: true });
    expect(session.getState().machine?.config).not.toEqual(before);
  });
});

describe('a document', () => {
  test('restores the same session when reopened', async () => {
    setParam(liveParam(), '2 us', { commit: true });
    addCommand({ at: 40, param: liveParam(), value: '3 us' }, { commit: true });
    const saved = saveText();
    resetAll();
    expect(await openText(saved, 'mine.json')).toEqual({ ok: true });
    expect(saveText()).toBe(saved);
    expect(session.getState()).toMatchObject({ changes: 2, scenario: first.id, warning: null });
  });

  test('with a scenario of maximum size reopens, with a truncated name', async () => {
    const shipped = readFileSync('scenarios/gt/crossover.json', 'utf8');
    const text = `${shipped}\n${'// What is written here is kept, too. "\n'.repeat(7000)}`.slice(
      0,
      256 * 1024,
    );
    expect(await openText(text, `${'long'.repeat(100)}.json`)).toEqual({ ok: true });
    setParam(liveParam(), '2 us', { commit: true });
    const saved = saveText();
    expect(saved.length).toBeGreaterThan(256 * 1024);
    expect(await openText(saved, 'saved.json')).toEqual({ ok: true });
    expect(saveText()).toBe(saved);
  });

  test('survives a share link', async () => {
    setParam(liveParam(), '2 us', { commit: true });
    const document = currentDocument();
    const code = await encodeDocument({ ...document, hash: '0123456789abcdef' });
    expect(code).toMatch(/^[A-Za-z0-9_-]+$/);
    resetAll();
    expect(await openShare(code, decodeDocument)).toEqual({ ok: true });
    expect(currentDocument()).toEqual(document);
    expect(session.getState().expectedHash).toBe('0123456789abcdef');
  });

  test('from another engine opens with a warning and without an expected hash', async () => {
    const document = { ...currentDocument(), hash: '0123456789abcdef', layout: '00000000' };
    expect(await openText(JSON.stringify(document), 'old.json')).toEqual({ ok: true });
    expect(session.getState().warning).toContain('another version of the engine');
    expect(session.getState().expectedHash).toBeNull();
  });

  test('with invalid edits leaves the session as it was', async () => {
    const before = session.getState();
    const document = { ...currentDocument(), edits: { 'cpu.nothing': '1 us' } };
    const result = await openText(JSON.stringify(document), 'bad.json');
    expect(result).toMatchObject({ ok: false, title: 'bad.json could not be opened.' });
    expect(session.getState()).toBe(before);
  });

  test('with invalid timed changes opens, reports them and keeps them', async () => {
    const live = liveParam();
    const commands = [
      { at: 7, param: 'cpu.store_tim', value: '1 us' },
      { at: 8, param: live, value: '2 us' },
      { at: 9, param: 'cpu.line', value: '64 B' },
      { at: 10, param: live, value: '1 s' },
    ];
    const saved = JSON.stringify({ ...currentDocument(), commands });
    expect(await openText(saved, 'old.json')).toEqual({ ok: true });
    const { leftOut, machine } = session.getState();
    expect(leftOut).toEqual([
      'The change of "cpu.store_tim" after 7 events cannot be made. "cpu" has no parameter "store_tim"; did you mean "store_time"?',
      'The change of "cpu.line" after 9 events cannot be made. "cache line" cannot change while the machine runs.',
      expect.stringMatching(
        /after 10 events cannot be made\. ".*" is at most .*; 1 s is outside\.$/,
      ),
    ]);
    expect(machine && engineCommands(machine, commands)).toHaveLength(1);
    expect(currentDocument().commands).toEqual(commands);
    await openScenario(first.id);
    expect(session.getState().leftOut).toEqual([]);
  });

  test('with invalid measurements opens, reports why and keeps them', async () => {
    const measured = { name: 'mine.txt', text: 'SIZE pio_read\n4 fast\n' };
    const saved = JSON.stringify({ ...currentDocument(), measured });
    expect(await openText(saved, 'old.json')).toEqual({ ok: true });
    expect(session.getState().leftOut).toEqual([
      expect.stringContaining('mine.txt:2:3: A through'),
    ]);
    expect(currentDocument().measured).toEqual(measured);
  });

  test('of another run of the experiment keeps its variables', async () => {
    expect(setVariables({ size: 4 })).toBeNull();
    const saved = saveText();
    await openScenario(first.id);
    await openText(saved, 'x.json');
    expect(session.getState().machine?.variables.size).toBe(4);
  });
});

describe('another run of the experiment', () => {
  test('is one change that can be undone, redone and reset', () => {
    expect(setVariables({ size: 4, method: 'dma_write' })).toBeNull();
    expect(session.getState()).toMatchObject({ changes: 1, canUndo: true });
    expect(setVariables({ size: 4, method: 'dma_write' })).toBeNull();
    undoEdit();
    expect(session.getState()).toMatchObject({ variables: {}, changes: 0, canUndo: false });
    expect(session.getState().machine?.variables.size).toBe(512);
    redoEdit();
    expect(session.getState().machine?.variables).toMatchObject({ size: 4, method: 'dma_write' });
    resetAll();
    expect(session.getState()).toMatchObject({ variables: {}, changes: 0 });
  });

  test('that equals the scenario’s own is no change', () => {
    setVariables({ size: 4 });
    setVariables({ size: 512 });
    expect(session.getState()).toMatchObject({ variables: {}, changes: 0 });
  });

  test('starts at the beginning and without bookmarks', () => {
    setVariables({ size: 4 });
    setCursor(7);
    toggleBookmark(100);
    undoEdit();
    expect(session.getState()).toMatchObject({ cursor: 0, bookmarks: [] });
    setCursor(7);
    toggleBookmark(100);
    setParam(liveParam(), '2 us', { commit: true });
    expect(session.getState()).toMatchObject({ cursor: 7, bookmarks: [100] });
  });

  test('is opened together with its edits as one step', () => {
    setVariables({ size: 4 }, { [liveParam()]: '2 us' });
    expect(session.getState().changes).toBe(2);
    undoEdit();
    expect(session.getState()).toMatchObject({ changes: 0, canUndo: false });
  });

  test('replaces manual edits of parameters that its axes set', async () => {
    await openScenario('hp/two-streams');
    setEdits({ 'services.allocator': 'hpux', 'adapter.rows': 128 });
    setVariables({ allocator: 'ccio' });
    expect(session.getState().edits).toEqual({ 'adapter.rows': 128 });
    undoEdit();
    expect(session.getState().edits).toMatchObject({ 'services.allocator': 'hpux' });
  });

  test('gets its bookmarks back when it is reopened', () => {
    toggleBookmark(100);
    setVariables({ size: 4 });
    toggleBookmark(200);
    undoEdit();
    expect(session.getState().bookmarks).toEqual([100]);
    redoEdit();
    expect(session.getState().bookmarks).toEqual([200]);
  });

  test('that does not exist is refused', () => {
    const before = session.getState();
    expect(setVariables({ sise: 4 })?.message).toContain('There is no variable "sise"');
    expect(session.getState()).toBe(before);
  });
});

describe('answers to the questions of a lesson', () => {
  const mine = { option: 'DMA', right: true };
  const theirs = { option: null, right: null };

  test('are included only on request', async () => {
    clearAnswers();
    await openScenario(first.id);
    expect(currentDocument({ withAnswers: true }).answers).toBeUndefined();
    mergeAnswers(first.id, { 'Which?': mine });
    expect(saveText()).not.toContain('Which?');
    expect(currentDocument().answers).toBeUndefined();
    expect(currentDocument({ withAnswers: true }).answers).toEqual({ 'Which?': mine });
  });

  test('in an opened file are merged with the reader’s, which take precedence', async () => {
    const saved = saveText({ withAnswers: true });
    clearAnswers();
    mergeAnswers(first.id, { 'Which?': theirs, 'And then?': mine });
    expect(await openText(saved, 'x.json')).toEqual({ ok: true });
    expect(answers.getState()).toEqual({ [first.id]: { 'Which?': theirs, 'And then?': mine } });
    clearAnswers();
    await openText(saved, 'x.json');
    expect(answers.getState()).toEqual({ [first.id]: { 'Which?': mine } });
  });
});

describe('programs that replace the scenario’s', () => {
  const rows = [
    { do: 'until', time: '10 us' },
    { do: 'store', to: '0x100400', bytes: 32, width: 32 },
  ];
  const stores = () => {
    const cpu = session.getState().machine?.parts.find(({ name }) => name === 'cpu0');
    return cpu?.tables[0]?.length;
  };

  test('can be undone, redone, saved and reopened', async () => {
    await openScenario('start/poke');
    const before = stores();
    expect(setPrograms({ cpu0: rows }, {})).toBeNull();
    expect(stores()).toBe(3);
    expect(session.getState().changes).toBe(1);
    undoEdit();
    expect(stores()).toBe(before);
    redoEdit();
    const saved = saveText();
    await openScenario('start/poke');
    expect(stores()).toBe(before);
    expect(await openText(saved, 'x.json')).toEqual({ ok: true });
    expect([stores(), currentDocument().programs]).toEqual([3, { cpu0: rows }]);
  });

  test('that cannot be executed are refused without loss', async () => {
    await openScenario('start/poke');
    setPrograms({ cpu0: rows }, {});
    expect(setPrograms({ cpu9: rows }, {})?.message).toContain('no program "cpu9"');
    const wrong = setPrograms({ cpu0: [{ do: 'storee' }] }, {});
    expect(wrong?.message).toContain('did you mean "store"?');
    expect(wrong?.pointer).toBe('/programs/cpu0/0/do');
    expect(stores()).toBe(3);
  });
});

describe('a lesson that its author writes', () => {
  const written = () => session.getState().lesson;
  const MINE = '# Mine\n\n## One\n\nA step.\n';

  test('belongs to the session: it is undone, saved and opened again', async () => {
    await openScenario('start/bus');
    const [before, { machine }] = [written(), session.getState()];
    setLesson('# M', { commit: false });
    setLesson(MINE);
    expect(written()).toBe(MINE);
    // The run is not disturbed, and undo takes back the burst of typing.
    expect(session.getState().machine).toBe(machine);
    undoEdit();
    expect([written(), session.getState().machine]).toEqual([before, machine]);
    redoEdit();
    const saved = saveText();
    await openScenario('start/poke');
    expect(await openText(saved, 'x.json')).toEqual({ ok: true });
    expect(written()).toBe(MINE);
    await openShare(await encodeDocument(currentDocument()), decodeDocument);
    expect(written()).toBe(MINE);
  });

  test('stays when the machine is changed, built or reset', async () => {
    await openScenario('start/bus');
    setLesson(MINE);
    setParam('bridge.posts', 1, { commit: true });
    expect(session.getState().changes).toBe(1);
    resetAll();
    expect([written(), session.getState().changes]).toEqual([MINE, 0]);
    setBuilt('{}');
    expect(written()).toBe(MINE);
    undoEdit();
    undoEdit();
    undoEdit();
    expect(written()).toBe(MINE);
    undoEdit();
    expect(written()).toMatch(/^# What a bus is/);
    expect(currentDocument().lesson).toBeUndefined();
  });

  test('is no change when it is typed back to what it was', async () => {
    await openScenario('start/bus');
    const before = written() ?? '';
    setLesson(MINE);
    setLesson(before);
    expect(currentDocument().lesson).toBeUndefined();
    await openScenario('start/poke');
  });
});

describe('an invalid document:', () => {
  test.each([
    ['an unknown scenario', () => openScenario('gt/nothing'), 'There is no scenario "gt/nothing"'],
    [
      'a broken file',
      () => openText('{"busyard": 1', 'a.json'),
      'A closing brace } is missing here.',
    ],
    ['a cut link', () => openShare('abc', decodeDocument), 'The link is damaged'],
    [
      'a text that is not a link',
      () => openShare('%%%', decodeDocument),
      'The link has characters that no share link has',
    ],
    [
      'a session of another version',
      () => openText('{"busyard_session": 9}', 'a.json'),
      'format version "9"',
    ],
  ])('%s leaves the session as it was', async (_, open, sentence) => {
    const before = session.getState();
    const result = await open();
    expect(!result.ok && result.problems[0]?.message).toContain(sentence);
    expect(session.getState()).toBe(before);
  });

  test('never throws', async () => {
    await fc.assert(
      fc.asyncProperty(fc.base64String({ maxLength: 200 }), async (code) => {
        expect((await decodeDocument(code)).ok).toBe(false);
      }),
    );
  });
});

test('an overtaken opening does not replace the newer one', async () => {
  const slow = openText('{"busyard": 1}', 'slow.json');
  const fast = openScenario(first.id);
  await Promise.all([slow, fast]);
  expect(session.getState()).toMatchObject({ status: 'open', scenario: first.id });
});

test('measurements are shown with the open session', async () => {
  expect(await openText('SIZE pio_read\n4 5.79\n', 'mine.txt')).toEqual({ ok: true });
  expect(session.getState().measured?.table).toEqual({ pio_read: [{ size: 4, value: 5.79 }] });
  await openShare(await encodeDocument(currentDocument()), decodeDocument);
  expect(session.getState().measured?.name).toBe('mine.txt');
});

test('a link that decompresses to more than the maximum size is refused', async () => {
  const document = { ...currentDocument(), view: { x: 'y'.repeat(5_000_000) } };
  expect(await decodeDocument(await encodeDocument(document))).toMatchObject({
    ok: false,
    problems: [{ message: 'The link decompresses to more than the maximum size of a session.' }],
  });
});

test('decompression of a malicious link stops at the maximum size', async () => {
  const bomb = deflateRawSync(Buffer.alloc(100_000_000, 0x20)).toString('base64url');
  expect(bomb.length).toBeLessThan(500_000);
  let made = 0;
  // As the standard has it, and as browsers do: a chunk that goes in is unpacked whole. How far a Node unpacks ahead is its own affair.
  vi.stubGlobal('DecompressionStream', function whole() {
    const inflate = createInflateRaw();
    let pieces: Buffer[] = [];
    inflate.on('data', (bytes: Buffer) => pieces.push(bytes));
    const transform = async (
      chunk: Uint8Array,
      controller: TransformStreamDefaultController<Uint8Array>,
    ) => {
      await new Promise<void>((done) => inflate.write(chunk, () => done()));
      const bytes = Buffer.concat(pieces);
      pieces = [];
      made += bytes.length;
      controller.enqueue(bytes);
    };
    return new TransformStream({ transform });
  });
  const result = await decodeDocument(bomb);
  vi.unstubAllGlobals();
  expect(result).toMatchObject({
    ok: false,
    problems: [{ message: 'The link decompresses to more than the maximum size of a session.' }],
  });
  expect(made).toBeGreaterThan(MAX_SESSION_BYTES);
  expect(made).toBeLessThan(2 * MAX_SESSION_BYTES);
});

test('each problem of a saved session has a position', () => {
  const text = JSON.stringify({ ...currentDocument(), cursor: { events: -1 } }, null, 2);
  const result = readDocument(text, 'a.json');
  expect(!result.ok && result.problems[0]).toMatchObject({
    pointer: '/cursor/events',
    file: 'a.json',
  });
});

test('a monitor can be added on demand without changing the session', async () => {
  expect(canWatch()).toBe(false);
  await openScenario('hp/stale-inbound');
  const before = saveText();
  const parts = () => session.getState().machine?.parts.map(({ type }) => type.name) ?? [];
  expect(canWatch()).toBe(true);
  toggleWatched();
  expect(parts().at(-1)).toBe('watcher');
  expect(session.getState().changes).toBe(0);
  expect(saveText()).toBe(before);
  await openScenario('hp/prefetch');
  expect(parts().at(-1)).toBe('watcher');
  toggleWatched();
  expect(parts()).not.toContain('watcher');
});

test('a driver checker can be added on demand without changing the session', async () => {
  await openScenario('hp/stale-inbound');
  const before = saveText();
  const parts = () => session.getState().machine?.parts.map(({ type }) => type.name) ?? [];
  expect(canCheckDrivers()).toBe(true);
  toggleChecked();
  expect(parts().at(-1)).toBe('dma_check');
  expect(canCheckDrivers()).toBe(true);
  expect(saveText()).toBe(before);
  toggleChecked();
  expect(parts()).not.toContain('dma_check');
  await openScenario('gt/crossover');
  expect(canCheckDrivers()).toBe(false);
});

describe('a built machine', () => {
  const file = async () => {
    await openScenario('start/bus');
    const { data, machine } = session.getState();
    if (!data || !machine) throw new Error('Nothing is open.');
    return fileOf(data, machine.variables, { 'bridge.posts': 3 });
  };

  /** Like the page: sets the text whether it is finished or not, and runs it if it is. */
  async function put(text: string): Promise<void> {
    expect(setBuilt(text)).toBeNull();
    const read = await readText(text, 'test');
    if (read.ok) expect(runBuilt(text, read.value)).toBeNull();
  }

  const posts = () =>
    session
      .getState()
      .machine?.parts.flatMap(({ params }) => params)
      .find(({ path }) => path === 'bridge.posts')?.value;

  test('runs at once beside the lesson; an unfinished one keeps the last runnable one', async () => {
    const built = await file();
    expect(session.getState().lesson).not.toBeNull();
    await put(fileText(built));
    expect(session.getState()).toMatchObject({ changes: 1, kind: 'machine' });
    expect(session.getState().lesson).not.toBeNull();
    expect(posts()).toBe(3n);
    // A lesson speaks of its parts: a machine of others has none.
    await put(fileText(removePart(built, 'cpu')));
    expect(session.getState().lesson).toBeNull();
    undoEdit();
    const broken = fileText(removePart(built, 'memory'));
    await put(broken);
    expect(session.getState().built?.text).toBe(broken);
    expect(session.getState().machine?.parts).toHaveLength(5);
    undoEdit();
    undoEdit();
    expect(session.getState()).toMatchObject({ changes: 0, built: undefined });
    expect(session.getState().lesson).not.toBeNull();
    redoEdit();
    expect(posts()).toBe(3n);
  });

  test('is saved before it is read, and is not run after an undo', async () => {
    const built = await file();
    const text = fileText(built);
    const { machine } = session.getState();
    setBuilt(text);
    expect(session.getState()).toMatchObject({ changes: 1, canUndo: true, machine });
    expect(JSON.parse(saveText()).built.text).toBe(text);
    const read = await readText(text, 'test');
    if (!read.ok) throw new Error(read.problems[0]?.message);
    undoEdit();
    expect(runBuilt(text, read.value)).toBeNull();
    expect(session.getState()).toMatchObject({ changes: 0, built: undefined, machine });
    redoEdit();
    expect(runBuilt(text, read.value)).toBeNull();
    expect(posts()).toBe(3n);
    undoEdit();
    expect(session.getState()).toMatchObject({ changes: 0, canUndo: false });
  });

  test('is included in files and links, finished or not', async () => {
    const built = await file();
    const broken = fileText(removePart(built, 'memory'));
    await put(fileText(removePart(built, 'cpu')));
    await put(broken);
    const [text, code] = [saveText(), await encodeDocument(currentDocument())];
    await openScenario('gt/gfixit');
    expect(await openText(text, 'mine.json')).toEqual({ ok: true });
    expect(session.getState().built?.text).toBe(broken);
    expect(session.getState()).toMatchObject({ scenario: 'start/bus', lesson: null });
    expect(session.getState().machine?.parts).toHaveLength(4);
    await openScenario('gt/gfixit');
    expect(await openShare(code, decodeDocument)).toEqual({ ok: true });
    expect(session.getState().built?.text).toBe(broken);
  });
});
