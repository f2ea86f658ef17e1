/** Settings and tasks of a lesson that the run decides: correct ones, and the messages for errors. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createLocalEngine } from '../../engine/inprocess';
import { compile } from '../scenario/compile';
import { listScenarios, readScenario } from '../scenario/scenarios';
import { settingOf } from '../scenario/settings';
import { applySetting, isSet } from '../session/apply-setting';
import { session } from '../session/session';
import { openScenario } from '../session/session-module';
import { checkLesson } from './check';
import { inlinesOf, parseLesson, plainText } from './lesson';

const ID = 'hp/stale-outbound';
const engine = await createLocalEngine();
const read = await readScenario(ID);
if (!read.ok) throw new Error(read.problems[0]?.message);
const scenario = read.value;
const made = compile(scenario);
if (!made.ok) throw new Error(made.problems[0]?.message);
const machine = made.value;
const text = readFileSync(new URL(`../../../scenarios/${ID}.md`, import.meta.url), 'utf8');

const known = listScenarios().map(({ id }) => id);
const problemsOf = async (written: string): Promise<readonly string[]> =>
  (await checkLesson(engine, { text: written, file: 'x.md' }, { scenario, machine, known })).map(
    ({ message }) => message,
  );

test('a block with "!" is a task: what to do, its condition, and the text shown then', () => {
  const task = parseLesson('## One\n\n! [Set it](set:a=1), and look. {cpu.loads > 3}\n= Four.')
    .steps[0]?.task;
  expect(plainText(task?.inlines ?? [])).toBe('Set it, and look.');
  expect(task?.when).toEqual([{ part: 'cpu', counter: 'loads', operator: '>', value: '3' }]);
  expect(plainText(task?.because ?? [])).toBe('Four.');
});

test('a link can set variables and parameters', () => {
  expect(inlinesOf('[x](set:mode=none)')).toEqual([
    { kind: 'link', text: 'x', to: { kind: 'set', value: 'mode=none' } },
  ]);
  expect(settingOf('second=true & bytes=4096&cache.size=512 B')).toEqual({
    second: true,
    bytes: 4096,
    'cache.size': '512 B',
  });
  for (const bad of ['', 'mode', 'mode=', '=none', 'a=1&', 'a=b=c'])
    expect(settingOf(bad)).toBeNull();
});

test.each([
  ['(set:defect=none)', '(set:defekt=none)', 'no variable "defekt"; did you mean "defect"?'],
  [
    '(set:defect=none)',
    '(set:defect=no)',
    '"no" is not a value of "defect"; these are: none, first',
  ],
  ['(set:defect=none)', '(set:defect)', '"defect" sets nothing; write it as "set:name=value".'],
  ['(set:mode=coherent)', '(set:cache1.size=3 KiB)', '"cache1.size=3 KiB" cannot be set.'],
  ['(set:mode=coherent)', '(set:cache1.sise=4 KiB)', 'did you mean'],
  ['runway.flushes >= 32', 'runway.flushs >= 32', 'did you mean "flushes"?'],
  ['runway.flushes >= 32', 'runway.flushes >= 33', 'the run does not show what the task asks for'],
  [
    ' {runway.flushes >= 32 and adapter.stale_reads = 0}',
    '',
    'A task ends with what the run shows',
  ],
  [
    'runway.flushes >= 32 and adapter.stale_reads = 0',
    'runway.flushes < 999',
    'done before anything',
  ],
  [
    '[Use a correct driver](set:defect=none)',
    'Use a correct driver',
    'Nothing in the step sets anything',
  ],
  [text.match(/\n= 32 flushes.*/)?.[0] ?? '', '', 'A task ends with a line "= "'],
])('%s written as %s is reported', async (from, to, sentence) => {
  expect(text).toContain(from);
  expect((await problemsOf(text.replace(from, to))).join('\n')).toContain(sentence);
});

const ASKED = '- [c] All {adapter.stale_reads = 64}\n';

test('a question is checked against the run that it names', async () => {
  const asksOther = text
    .replace('- [a] None {adapter.stale_reads = 0}', '- [a] Nearly none {adapter.stale_reads = 1}')
    .replace(ASKED, `${ASKED}+ defect=none\n`);
  expect((await problemsOf(asksOther)).join('\n')).toContain('The run makes none of the options');
  const named = text.replace(ASKED, `${ASKED}+ defekt=none\n`);
  expect((await problemsOf(named)).join('\n')).toContain('did you mean "defect"?');
});

test('a question must name its run if the lesson’s settings would change the answer', async () => {
  const [question = ''] = /\? \[[^\]]+\] How many of the 64.*?\n\n/s.exec(text) ?? [];
  const asksLater = text.replace(question, '').trimEnd().concat('\n\n', question.trim(), '\n');
  const [seen, other, ...others] = await problemsOf(asksLater);
  expect(seen).toContain('has counted more than one of the options allows, and the scene at');
  expect(other).toContain('led to "defect=none" before, which makes another option right');
  expect(others).toEqual([]);
  expect(
    await problemsOf(asksLater.replace(ASKED, `${ASKED}+ defect=first_sync_omitted\n`)),
  ).toEqual([]);
});

test('settings are applied to the open session and recognized there', async () => {
  await openScenario(ID);
  const setting = settingOf('defect=none&cache1.size=64 KiB') ?? {};
  expect(isSet(session.getState(), setting)).toBe(false);
  expect(applySetting(setting)).toBeNull();
  expect(isSet(session.getState(), setting)).toBe(true);
  expect(session.getState()).toMatchObject({
    machine: { variables: { mode: 'none', defect: 'none' } },
    edits: { 'cache1.size': '64 KiB' },
  });
  expect(applySetting({ 'cache1.size': '3 KiB' })).toContain('power of two');
  expect(isSet(session.getState(), setting)).toBe(true);
});
