/** `busyard grade`: the run decides what is right in a student's session, whatever the file says. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { busyard, file, folder } from './support/command-line';
import { savedSession } from './support/sessions';

const LESSON = `# A lab

## A store

The processor stores a word.

? [first] How many words does it store?
- [one] One {cpu.stores = 1}
- [two] Two {cpu.stores = 2}
- [four] Four {cpu.stores = 4}
= Four.

## With more

? [second] And with size at 64?
- [four] Four {cpu.stores = 4}
- [sixteen] Sixteen {cpu.stores = 16}
- [many] Sixty-four {cpu.stores = 64}
+ size=64
= Sixteen.
`;
const LAB = {
  busyard: 1,
  title: 'A lab',
  summary: 'Stores words.',
  system: 'gt',
  machine: { extends: 'gt-system-a' },
  variables: { size: 16 },
  programs: { store: [{ do: 'pio_write', from: '0x100000', to: '0x80000000', bytes: '$size' }] },
  workload: { cpu: 'store' },
  until: '1 ms',
  lesson: 'lab.md',
  view: { kind: 'machine' },
};
file('lab.md', LESSON);
const lab = file('lab.json', JSON.stringify(LAB, null, 1));

/** A folder with a session per student. */
function handedIn(name: string, sessions: Readonly<Record<string, object>>): string {
  const at = join(folder, name);
  mkdirSync(at);
  for (const [student, answers] of Object.entries(sessions)) {
    const scenario = { name: 'lab.json', text: JSON.stringify(LAB) };
    const document = savedSession({ scenario, answers });
    writeFileSync(join(at, `${student}.json`), JSON.stringify(document));
  }
  return at;
}

test('gives a line of CSV for each student, judged by runs of the lecturer’s lab', async () => {
  const answers = handedIn('honest', {
    ada: {
      first: { option: 'four', right: true, happened: 'four' },
      second: { option: 'sixteen', right: true, happened: 'sixteen' },
    },
    bob: { first: { option: 'two', right: false, second: 'four', happened: 'four' } },
    cyd: { first: { option: null, right: null } },
  });
  const { code, out } = await busyard('grade', answers, '--scenario', lab);
  expect(out.split('\n')).toEqual([
    'name,scenario,right,at second,of,first,second,note',
    'ada,A lab,2,0,2,right,right,',
    'bob,A lab,0,1,2,second,open,',
    'cyd,A lab,0,0,2,shown,open,',
    '',
  ]);
  expect(code).toBe(0);
});

test('finds an edited verdict, and a file that is no session', async () => {
  const answers = handedIn('edited', {
    eve: { first: { option: 'two', right: true, happened: 'two' } },
  });
  writeFileSync(join(answers, 'zoe.json'), '{ "busyard_session": 1,');
  const { code, out } = await busyard('grade', answers, '--scenario', lab, '--json');
  const [eve, zoe] = JSON.parse(out);
  expect(eve).toMatchObject({ name: 'eve', right: 0, marks: { first: 'not right' } });
  expect(eve.note).toContain('another verdict than the run: first');
  expect(zoe).toMatchObject({ name: 'zoe', right: 0, of: 2 });
  expect(zoe.note).toContain('zoe.json:1');
  expect(code).toBe(1);
});

test('needs the lecturer’s scenario for sessions that bring their own', async () => {
  const answers = handedIn('own', { flo: { first: { option: 'four', right: true } } });
  const { code, out } = await busyard('grade', answers);
  expect(out).toMatch(/^flo,,0,0,,"?the session has its own scenario: name yours with --scenario/m);
  expect(code).toBe(1);
});

test('a folder without sessions is refused', async () => {
  expect((await busyard('grade', lab)).err).toContain('is not a folder of saved sessions');
});
