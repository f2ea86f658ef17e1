/** Sessions and links saved by an earlier version still open, and nothing in them is lost. */
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Engine } from '../src/engine/api';
import { LAYOUT_HASH } from '../src/engine/gen/layout';
import { createLocalEngine } from '../src/engine/inprocess';
import { renameKeptAnswers } from '../src/model/session/answer-ids';
import { answers, clearAnswers } from '../src/model/session/answers';
import { engineCommands } from '../src/model/session/commands';
import { layoutText, type SessionDocument } from '../src/model/session/document';
import { currentDocument } from '../src/model/session/editing';
import { openShare, openText } from '../src/model/session/opening';
import { session } from '../src/model/session/session';
import { decodeDocument } from '../src/model/session/share';

const FOLDER = 'tests/data/sessions';
const names = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.json'))
  .map((file) => file.slice(0, -'.json'.length));

/** What each released version saved, by the names of its files here. */
const SAVED_BY: Readonly<Record<string, readonly string[]>> = {
  '0.1.0': ['gt', 'hp', 'one', 'pools', 'sandbox', 'soc', 'start', 'zx1'],
};

const fileOf = (name: string) => readFileSync(`${FOLDER}/${name}.json`, 'utf8');
const linkOf = (name: string) => readFileSync(`${FOLDER}/${name}.link`, 'utf8');
const documentOf = (name: string): SessionDocument => JSON.parse(fileOf(name));

/** What a session keeps, apart from the engine that made it and from answers, which get ids. */
const content = ({ layout: _, hash: _hash, answers: _answers, ...kept }: SessionDocument) => kept;

test('every released version has sessions and links here, and the present one is a release', () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  expect(Object.keys(SAVED_BY)).toContain(version);
  for (const saved of Object.values(SAVED_BY)) expect(saved.length).toBeGreaterThan(0);
  expect(Object.values(SAVED_BY).flat().sort()).toEqual([...names].sort());
  for (const name of names) expect(linkOf(name)).toMatch(/^[A-Za-z0-9_-]+\s*$/);
});

let engine: Engine;
beforeAll(async () => {
  engine = await createLocalEngine();
});
afterAll(() => engine.dispose());
beforeEach(() => clearAnswers());

async function runToCursor({ cursor, commands }: SessionDocument) {
  const { machine } = session.getState();
  if (!machine) throw new Error('No machine is open.');
  const run = { config: machine.config, commands: engineCommands(machine, commands) };
  let last: { events: number; hash: string | null } | undefined;
  const job = { sessions: [run], limit: { untilEvents: cursor.events }, hash: true };
  await engine.sweep(job, ({ events, hash }) => {
    last = { events, hash };
  });
  return last;
}

describe.each(names)('%s', (name) => {
  const saved = documentOf(name);

  test('the file opens with all its contents', async () => {
    expect(await openText(fileOf(name), `${name}.json`)).toEqual({ ok: true });
    expect(session.getState().leftOut).toEqual([]);
    expect(currentDocument({ withAnswers: true })).toMatchObject(content(saved));
  });

  test('the link opens like the file', async () => {
    expect(await openShare(linkOf(name), decodeDocument)).toEqual({ ok: true });
    expect(session.getState().leftOut).toEqual([]);
    expect(currentDocument({ withAnswers: true })).toMatchObject(content(saved));
  });

  test('its run reaches the event at which it was saved', async () => {
    await openText(fileOf(name), `${name}.json`);
    const reached = await runToCursor(saved);
    expect(reached?.events).toBe(saved.cursor.events);
    if (saved.layout === layoutText(LAYOUT_HASH)) expect(reached?.hash).toBe(saved.hash);
  });
});

describe("answers stored under the question's words", () => {
  const byId = { q1: { option: 'a', right: false, happened: 'c' } };

  test('are restored from a saved session', async () => {
    await openText(fileOf('start'), 'start.json');
    expect(answers.getState()['start/bus']).toEqual(byId);
  });

  test('stay in the browser, together with later ones', async () => {
    const since = { q2: { option: 'b', right: false } };
    const old = documentOf('start').answers ?? {};
    answers.setState({ 'start/bus': { ...old, ...since } }, true);
    await renameKeptAnswers();
    expect(answers.getState()['start/bus']).toEqual({ ...byId, ...since });
  });

  test('of an unknown lesson stay unchanged', async () => {
    const own = { 'file: Mine': { 'Which is faster?': { option: 'DMA', right: true } } };
    answers.setState(own, true);
    await renameKeptAnswers();
    expect(answers.getState()).toEqual(own);
  });
});

test('a file with the former name of a view opens in that view', async () => {
  const text = readFileSync('scenarios/start/poke.json', 'utf8');
  const former = text.replace('"kind": "sandbox"', '"kind": "poke"');
  expect(former).not.toBe(text);
  expect(await openText(former, 'former.json')).toEqual({ ok: true });
  expect(session.getState().kind).toBe('sandbox');
});
