/** `busyard lesson`: the template of the guide passes, and each rule that is broken is reported with its line. */
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { busyard, file } from './support/command-line';

const guide = readFileSync(new URL('../docs/authoring.md', import.meta.url), 'utf8');
const block = (kind: string) =>
  new RegExp(`\`\`\`${kind}\\n(.*?)\`\`\``, 's').exec(guide)?.[1] ?? '';
const lesson = block('markdown');

let path: string;
beforeAll(() => {
  path = file('first.json', block('json'));
  file('first.md', lesson);
});

test("the guide's template is correct, given the name of either file", async () => {
  for (const name of [path, path.replace('.json', '.md')]) {
    const { code, out, err } = await busyard('lesson', name);
    expect(out).toBe('');
    expect(err).toContain('first.md: 3 steps, 1 question, is correct');
    expect(code).toBe(0);
  }
});

/** The number of the lesson's line that begins like this, from 1. */
const lineOf = (beginning: string): number =>
  lesson.split('\n').findIndex((line) => line.startsWith(beginning)) + 1;

describe.each([
  [
    'its scenario',
    '# A word there',
    '---\nscenario: start/bsu\n---\n\n# A word there',
    '# A word',
    'There is no scenario "start/bsu"; did you mean "start/bus"?',
  ],
  ['the title', '# A word there', '# Two words there', '# A word', 'The title is that of the'],
  [
    'a part',
    '(part:card)',
    '(part:crad)',
    'The [processor]',
    'no part "crad"; did you mean "card"?',
  ],
  [
    'a parameter',
    '(param:bus.clock)',
    '(param:bus.clocks)',
    '[45 ns]',
    'did you mean "bus.clock"?',
  ],
  [
    'its value',
    '[66.667 MHz]',
    '[33.3 MHz]',
    '[45 ns]',
    'bus.clock is 66.667 MHz; this says "33.3 MHz"',
  ],
  ['a scenario', 'scenario:start/bus', 'scenario:start/bsu', 'A store is', 'There is no scenario'],
  ['a link', 'scenario:start/bus', 'start/bus', 'A store is', 'has no target'],
  [
    'a time',
    '44.999 ns',
    '45 ns',
    '[45 ns]',
    'the nearest events are at 0.044999 us and 1.0158 us',
  ],
  ['a number', '= [348 ns]', '= [349 ns]', '= [348', '"349 ns" is not cpu.lap_time'],
  ...[
    ['[2.0 times](run:cpu.lap_time / 0.2 us)', '"2.0 times" is not cpu.lap_time / 0.2 us'],
    ['[1 word](run:cpu.loads at 1 us)', '"1 word" is not cpu.loads at 1 us, which is 0.'],
    ['[348 ns](run:cpu.lap_time with bus.clock=33 MHz)', 'with bus.clock=33 MHz, which is 349'],
    ['[348 ns](run:cpu.lap_time with bus.clok=50 MHz)', 'cannot be set'],
    ['[348 ns](run:cpu.lap_time + cpu.loads)', 'This adds or subtracts "ps" and ""'],
    ['[348 ns](run:lode)', 'There is no metric "lode"'],
    ['[1.3 µs](run:0.044999 us..1 us)', 'Nothing happens at 1 us'],
    ['[2 µs](run:0 us..2 us in gt/read-back)', 'Nothing happens at 2 us'],
    ['[2 µs](run:time in gt/read-bac)', 'There is no scenario "gt/read-bac"; did you mean'],
    ['[2 µs](run:tim in gt/crossover)', 'There is no metric "tim"; did you mean "time"?'],
    ['[76 B](run:crossing write in gt/crossover)', '"76 B" is not crossing write in gt/crossover'],
    ['[76 B](run:crossing rite in gt/crossover)', 'There is no crossing "rite"; did you mean'],
    ['[348 ns](run:348 ns)', '"348 ns" only repeats a number.'],
    ['[348 ns](run:load of 2 seeds)', 'lowest, mean or highest load'],
    ['[13.4 µs](source:gt.dma_write.512)', '"13.4 µs" is not gt.dma_write.512'],
  ].map(([number = '', sentence = '']) => [
    `the number ${number}`,
    '= [348 ns]',
    `= It takes ${number}. [348 ns]`,
    '= It takes',
    sentence,
  ]),
  [
    'a number told before',
    'A microsecond later',
    'It takes [348 ns](run:cpu.lap_time). A microsecond later',
    '? [load, in order] A store',
    'has shown cpu.lap_time before the question',
  ],
  [
    'an answer that a heading tells',
    '## There',
    '## Ten stores for one load',
    '? [load, in order] A store',
    'and the scenario\'s summary tell the answer: "ten"',
  ],
  [
    'an answer that begins with another number than its verdict shows',
    '= [348 ns](run:cpu.lap_time)',
    '= [1 word](run:cpu.loads) takes 348 ns',
    '? [load, in order] A store',
    'The answer begins with cpu.loads',
  ],
  ['its words', '[45 ns]', '[46 ns]', '[45 ns]', '"46 ns" is not 44.999 ns, rounded.'],
  [
    'an answer that a link has shown',
    '[45 ns](time:44.999 ns) the card has it',
    '[45 ns](time:44.999 ns) the card has it, and at [1.36 µs](time:1363.999 ns) it has answered',
    '? [load, in order] A store',
    'a link to 1.363999 us has shown the run up to 1.363999 us',
  ],
  [
    'an option that a scene has excluded',
    '{cpu.lap_time < 32 ns}',
    '{bus.transactions = 0}',
    '? [load, in order] A store',
    'the run has counted more than one of the options allows, and the scene at 1.0158 us',
  ],
  ...[
    ['@ 45 us cpu', 'Nothing happens at 45 us'],
    ['@ 1.0158 us cup', 'no part "cup"; did you mean "cpu"?'],
    ['@ 1.0158 us cpu zoom 0 us..9 us', 'is not within the run, which ends at 1.363999 us'],
    ['@ 1.0158 us cpu panel whi', 'no panel "whi"; did you mean "why"?'],
    ['@ soon cpu', 'is no scene; write a time, parts'],
  ].map(([scene = '', sentence = '']) => [
    `the scene ${scene}`,
    'A microsecond later',
    `${scene}\n\nA microsecond later`,
    'A microsecond later',
    sentence,
  ]),
  ...[
    ['* cpu.lap_tyme', 'did you mean "cpu.lap_time"?'],
    ['* cpu.lap_time soon..later', 'is no measure; write a counter or metric'],
    ['* cpu.lap_time 0 us..44.999 ns one load', 'and the interval is 0.044999 us long'],
    ['* cpu.lap_time 0 us..9 us one load', 'Nothing happens at 9 us'],
  ].map(([measure = '', sentence = '']) => [
    `the measure ${measure}`,
    '= [348 ns]',
    `${measure}\n= [348 ns]`,
    '= [348',
    sentence,
  ]),
  ['a mark', 'one word to', 'one *word to', 'The [processor]', 'is shown with its mark'],
  ['a table', '[45 ns](time', '| [45 ns](time', '[45 ns]', 'This is not a table'],
  [
    'a counter',
    'lap_time > 160',
    'lap_tyme > 160',
    '- [ten] More than',
    'did you mean "lap_time"?',
  ],
  ['a unit', '> 160 ns', '> 160 B', '- [ten] More than', 'cannot be compared with "160 B"'],
  ['a condition', ' {cpu.lap_time < 32 ns}', '', '- [same] About', 'has no condition'],
  [
    'no right option',
    '> 160 ns',
    '> 1 us',
    '? [load, in order] A store',
    'none of the options right',
  ],
  [
    'two right options',
    '< 32 ns',
    '< 1 us',
    '? [load, in order] A store',
    '2 options ("About as long", "More',
  ],
  [
    'a leak',
    'cpu.in_load',
    'cpu.in_store',
    '? [load, in order] A store',
    'cpu.in_load counts the same as',
  ],
  [
    'an option too few',
    '- [twice] Two or three times as long {cpu.lap_time >= 32 ns and cpu.lap_time < 64 ns}\n',
    '',
    '? [load, in order] A store',
    'at least three options',
  ],
  ['an id twice', '- [ten]', '- [same]', '- [ten] More', 'Two options of the question have the id'],
  ['what is covered', 'cpu.lap_busy', 'cpu.lap_bussy', '~ cpu', 'did you mean "lap_busy"?'],
  [
    'no answer',
    '= [348 ns](run:cpu.lap_time): the',
    'It is 348 ns: the',
    '? [load, in order] A store',
    'ends with a line "= "',
  ],
  [
    'a phrase that stumbles',
    'the processor loads the word.',
    'the processor shall load the word.',
    'A microsecond',
    '"shall": write “is to” or “must”.',
  ],
  [
    'nothing to read',
    'A microsecond later the processor loads the word.',
    '',
    '## And',
    'nothing to read',
  ],
])('%s', (_, from, to, beginning, sentence) => {
  test(`is reported: ${sentence}`, async () => {
    expect(lesson).toContain(from);
    const broken = file('broken.json', block('json').replace('first.md', 'broken.md'));
    file('broken.md', lesson.replace(from, to));
    const { code, out } = await busyard('lesson', broken);
    expect(code).toBe(1);
    const line = lineOf(beginning.startsWith('= It') ? '= [348' : beginning);
    expect(out).toContain(`broken.md:${line}:1: `);
    expect(out).toContain(sentence);
  });
});

test('too many questions, or questions on too many steps, are reported', async () => {
  const more = file('broken.json', block('json').replace('first.md', 'broken.md'));
  const [, question = ''] = /(\? \[load, in order\] A store.*?)\n\n/s.exec(lesson) ?? [];
  file('broken.md', `${lesson}\n${question}\n\n${question}\n${'\n## More\n\nText.\n'.repeat(5)}`);
  const { code, out } = await busyard('lesson', more);
  expect(code).toBe(1);
  expect(out).toContain('A lesson asks at most 2 questions, not 3.');
  expect(out).toContain('Two questions of the lesson have the id "load".');
  expect(out).toContain('asks 2 questions; only the last is shown.');
  expect(out).toContain('A lesson has at most 7 steps, not 8.');
});

test('a lesson inside the scenario is checked; a missing or unreadable one is rejected', async () => {
  const inside = JSON.stringify({ ...JSON.parse(block('json')), lesson });
  expect(await busyard('lesson', file('inside.json', inside))).toMatchObject({ code: 0, out: '' });
  const { lesson: _, ...without } = JSON.parse(block('json'));
  const none = await busyard('lesson', file('none.json', JSON.stringify(without)));
  expect(none).toMatchObject({ code: 2 });
  expect(none.err).toContain('has no lesson');
  const missing = file('missing.json', block('json').replace('first.md', 'gone.md'));
  expect(await busyard('lesson', missing)).toMatchObject({ code: 2 });
  expect(await busyard('lesson', 'start/nothing')).toMatchObject({ code: 2 });
});

test('a shipped lesson is found by its id, and reported as JSON', async () => {
  const { code, out } = await busyard('lesson', 'start/bus', '--json');
  expect(code).toBe(0);
  expect(JSON.parse(out)).toEqual({ file: 'start/bus.md', steps: 6, questions: 2, problems: [] });
});

test('a run warns if the lesson of its scenario is missing', async () => {
  const lost = JSON.stringify({ ...JSON.parse(block('json')), lesson: 'lost.md' });
  const { code, err } = await busyard('run', file('lost.json', lost));
  expect(code).toBe(0);
  expect(err).toContain('lost.json, lost.md, is not in the same folder.');
  expect((await busyard('run', file('first.json', block('json')))).err).toBe('');
});

test('numbers of other runs, of moments and of sources are bound; others are listed on request', async () => {
  const numbers = [
    '[348 ns](run:cpu.lap_time)',
    '[1.32 µs](run:0.044999 us..1363.999 ns)',
    '[0 loads](run:cpu.loads at 1 us)',
    '[0.35](run:cpu.lap_time / 1 us)',
    '[11.5 MB/s](run:4 B / cpu.lap_time)',
    '[23 clocks](run:cpu.lap_time * bus.clock)',
    '[348](run:load)',
    '[1.94 µs](run:0 us..1.935999 us in gt/read-back)',
    '[13.2 µs](run:time in gt/crossover with method=dma_write&size=1024)',
    '[76 B](run:crossing read in gt/crossover)',
    '[348](run:mean load of 2 seeds)',
    '[13.3 µs](run:512 B / gt.dma_write.512)',
    '[393 µs](source:lmbench.k200.tcp)',
    '[12 cells](source:the data sheet)',
    '[12 ns](source:the data sheet)',
  ];
  const stated = lesson.replace(
    '= [348 ns]',
    `= ${numbers.join(', ')}; 7 ns, 1 us and 66.667 MHz. [348 ns]`,
  );
  file('bound.md', stated);
  const bound = file('bound.json', block('json').replace('first.md', 'bound.md'));
  expect(await busyard('lesson', bound)).toMatchObject({ code: 0, out: '' });
  const { code, out } = await busyard('lesson', bound, '--unbound');
  expect(code).toBe(0);
  expect(out.match(/".*" is unbound/g)).toEqual(['"12 ns" is unbound', '"7 ns" is unbound']);
});
