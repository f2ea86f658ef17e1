/** `busyard variants` and `busyard grade --students`: two commands from a class list to a CSV. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { busyard, file, folder } from './support/command-line';
import { savedSession } from './support/sessions';

const LESSON = `# A lab

## Stores

The processor stores a block word by word.

? [count, in order] How many words of 4 B does it store?
- [few] Fewer than 20 {cpu.stores < 20}
- [some] 20 to 100 {cpu.stores >= 20 and cpu.stores <= 100}
- [many] More than 100 {cpu.stores > 100}
= One for each 4 B.

## Fewer

! Change the block so that exactly two words are stored. {cpu.stores = 2}
= 8 B are two words.
`;
const LAB = {
  busyard: 1,
  title: 'A lab',
  summary: 'Stores words.',
  system: 'gt',
  machine: { extends: 'gt-system-a' },
  variables: { size: 16, block: 0 },
  programs: {
    store: [{ do: 'pio_write', from: '0x100000', to: '0x80000000', bytes: '$size - $block' }],
  },
  workload: { cpu: 'store' },
  until: '1 ms',
  variants: {
    size: [64, 128, 256, 512],
    'cpu.store_time': { from: '12 ns', to: '24 ns', step: '1 ns' },
  },
  lesson: 'lab.md',
  view: { kind: 'machine' },
};
const right = (size: number) => (size / 4 < 20 ? 'few' : size / 4 <= 100 ? 'some' : 'many');

file('lab.md', LESSON);
const lab = file('lab.json', JSON.stringify(LAB, null, 1));
const names = Array.from({ length: 30 }, (_, at) => `student ${at + 1}`);
const list = file('class.csv', ['name,mail', ...names.map((name) => `"${name}",x@y`)].join('\n'));

interface LabFile {
  readonly variables: { readonly size: number };
  readonly machine: { readonly parts: { readonly cpu: { readonly params: object } } };
}

const labs = join(folder, 'labs');
const textOf = (name: string): string => readFileSync(join(labs, `${name}.json`), 'utf8');
const labOf = (name: string): LabFile => JSON.parse(textOf(name));

/** Saves a session as the page does: with the file that was opened in it. */
function handIn(to: string, name: string, began: string, changes: object): void {
  const scenario = { name: `${began}.json`, text: textOf(began) };
  writeFileSync(join(to, `${name}.json`), JSON.stringify(savedSession({ scenario, ...changes })));
}

test('two commands lead from a class of thirty to one CSV', async () => {
  const made = await busyard('variants', lab, '--students', list, '--to', labs, '--seed', '2026');
  expect([made.code, made.err]).toEqual([0, expect.stringContaining('30 labs')]);
  expect(made.out.split('\n')[0]).toBe('name,size,cpu.store_time');
  const sizes = new Set(names.map((name) => labOf(name).variables.size));
  const times = new Set(names.map((name) => JSON.stringify(labOf(name).machine.parts.cpu.params)));
  expect(sizes.size).toBe(4);
  expect(times.size).toBeGreaterThan(5);
  expect(textOf('student 1')).not.toContain('variants');
  const again = ['variants', lab, '--students', list, '--to', join(folder, 'again')];
  expect((await busyard(...again, '--seed', '2026')).out).toBe(made.out);
  expect((await busyard(...again, '--seed', '2027')).out).not.toBe(made.out);

  const answers = join(folder, 'answers');
  mkdirSync(answers);
  const [honest, copied, tampered, absent, ...others] = names as [string, string, string, string];
  const sizeOf = (name: string) => labOf(name).variables.size;
  for (const name of [honest, ...others]) {
    const option = right(sizeOf(name));
    const count = { option, right: true, happened: option };
    const variables = { block: sizeOf(name) - 8 };
    handIn(answers, name, name, { answers: { count }, variables });
  }
  const other = names.find((name) => right(sizeOf(name)) !== right(sizeOf(copied))) ?? '';
  const theirs = right(sizeOf(other));
  handIn(answers, copied, copied, {
    answers: { count: { option: theirs, right: true, happened: theirs } },
  });
  handIn(answers, tampered, tampered, { answers: {}, variables: { size: 8 } });

  const graded = ['grade', answers, '--scenario', lab, '--students', list, '--seed', '2026'];
  const { out, code } = await busyard(...graded);
  const [head, ...rows] = out.trimEnd().split('\n');
  expect(head).toBe('name,scenario,right,at second,of,passed,tasks,count,task: Fewer,note');
  expect(rows).toHaveLength(30);
  expect(rows[0]).toBe(`${honest},A lab,1,0,1,1,1,right,passed,`);
  expect(rows[1]).toMatch(/^student 2,A lab,0,0,1,0,1,not right,not passed,.*another verdict/);
  expect(rows[2]).toMatch(/^student 3,A lab,0,0,1,0,1,open,not passed,.*were changed: size/);
  expect(rows[3]).toBe(`${absent},,0,0,1,0,1,,,no file`);
  expect(rows.slice(4).every((row) => row.includes(',1,0,1,1,1,right,passed,'))).toBe(true);
  expect(code).toBe(1);

  // A file that cannot be read is no missing file: its student's row says what is wrong with it.
  const [cut, word, begun] = ['cut', 'word', 'begun'].map((name) => join(answers, name));
  for (const one of [cut, word, begun]) mkdirSync(one ?? '');
  writeFileSync(join(cut ?? '', `${absent}.json`), '{ "busyard_session": 1,');
  writeFileSync(join(word ?? '', `${absent}.docx`), 'The answer is 64.');
  writeFileSync(join(begun ?? '', `${absent} (1).json`), textOf(absent));
  const unread = (await busyard(...graded)).out.trimEnd().split('\n').slice(4, 7);
  expect(unread).toEqual([
    expect.stringMatching(/^student 4,,0,0,1,0,1,,,"?a scenario, not a session.*3 files/),
    expect.stringMatching(/^student 4,,0,0,1,0,1,,,.*student 4\.json:1/),
    expect.stringMatching(/^student 4,,0,0,1,0,1,,,no saved session.*\.json; 3 files/),
  ]);

  // A course system gives each student a folder, and a second download a number.
  const [first = ''] = others;
  rmSync(join(answers, `${first}.json`));
  mkdirSync(join(answers, 'sent'));
  const block = sizeOf(first) - 8;
  const scenario = { name: `${first} (2).json`, text: textOf(first) };
  const sent = savedSession({ scenario, answers: {}, variables: { block } });
  writeFileSync(join(answers, 'sent', 'lab.session.json'), JSON.stringify(sent));
  const all = (await busyard(...graded)).out;
  expect(all).toContain(`\n${first},A lab,0,0,1,1,1,open,passed,\n`);
});

test('a lab handed in under the name of another is named, and passes nothing', async () => {
  await busyard('variants', lab, '--students', list, '--to', labs, '--seed', '2026');
  const answers = join(folder, 'swapped');
  mkdirSync(answers);
  const block = labOf('student 5').variables.size - 8;
  handIn(answers, 'student 6', 'student 5', { answers: {}, variables: { block } });
  const { out } = await busyard(
    ...['grade', answers, '--scenario', lab, '--students', list, '--seed', '2026'],
  );
  expect(out).toContain('student 5,A lab,0,0,1,0,1,open,not passed');
  expect(out).toContain('"the lab of student 5, handed in as student 6"');
});

const refused = async (text: object, students: string): Promise<string> => {
  const odd = file('odd.json', JSON.stringify({ ...LAB, lesson: LESSON, ...text }));
  const to = join(folder, 'odd-labs');
  const { code, err } = await busyard(
    ...['variants', odd, '--students', file('odd.csv', students), '--to', to],
  );
  expect([code, existsSync(to)]).toEqual([2, false]);
  return err;
};

test.each([
  ['a value that the machine refuses', { variants: { size: [1, 2] } }, 'ada', /size/],
  ['no variants', { variants: {} }, 'ada', /no "variants"/],
  [
    'a span without an end',
    { variants: { 'cpu.store_time': { from: '9 ns', to: '8 ns', step: '1 ns' } } },
    'ada',
    /go up/,
  ],
  [
    'two units',
    { variants: { 'cpu.store_time': { from: '9 ns', to: '1 us', step: '1 ns' } } },
    'ada',
    /one unit/,
  ],
  [
    'a question with two right options',
    { variants: { size: [128, 128] }, lesson: LESSON.replace('< 20', '< 50') },
    'ada',
    /makes 2 options .* right, not one/,
  ],
  [
    'a question without a right option',
    { variants: { size: [128, 128] }, lesson: LESSON.replace('>= 20', '>= 50') },
    'ada',
    /makes 0 options .* right, not one/,
  ],
  ['a task that is done at the start', { variants: { size: [8, 8] } }, 'ada', /does the task/],
  [
    'a number that is another one in a lab',
    { lesson: LESSON.replace('= One for', '= [4](run:cpu.stores) words, one for') },
    'ada\nbob\ncyd',
    /makes a line of its lesson wrong.*"4" is not cpu.stores/,
  ],
  ['a name twice', {}, 'ada\nAda', /:2: .*twice/],
  ['a name that leaves the folder', {}, '../ada', /cannot name a file/],
  ['an empty list', {}, 'name\n', /names no student/],
])('writes nothing for %s', async (_, text, students, message) => {
  expect(await refused(text, students)).toMatch(message);
});
