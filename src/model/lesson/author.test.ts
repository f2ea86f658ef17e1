/** Links that the page writes for an author pass the lesson's check; names are offered where they may stand. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Engine } from '../../engine/api';
import { createLocalEngine } from '../../engine/inprocess';
import { compile } from '../scenario/compile';
import { type CompiledMachine, paramAt, partNamed } from '../scenario/compiled';
import { listScenarios, readScenario } from '../scenario/scenarios';
import {
  countedIn,
  momentLink,
  outline,
  paramLink,
  partLink,
  questionLines,
  sceneLine,
  settingLink,
  suggestionsAt,
} from './author';
import { checkLesson } from './check';

const ID = 'start/bus';
const read = await readScenario(ID);
if (!read.ok) throw new Error(read.problems[0]?.message);
const scenario = read.value;
const made = compile(scenario);
if (!made.ok) throw new Error(made.problems[0]?.message);
const machine = made.value;
const bridge = partNamed(machine, 'bridge');
const posts = paramAt(machine, 'bridge.posts');
if (!bridge || !posts) throw new Error('The machine has a bridge.');
const text = readFileSync(new URL(`../../../scenarios/${ID}.md`, import.meta.url), 'utf8');

async function runToEnd(engine: Engine, { config, untilPs }: CompiledMachine) {
  await engine.open({ config, commands: [] });
  await engine.run({ untilPs });
  const { counters } = await engine.frame({ views: [] });
  return { counters: counters.map((own) => [...own]) };
}

/** An event of the run. */
const EVENT_PS = 63_200;

describe('what is inserted', () => {
  const inserted = [
    momentLink(EVENT_PS, ''),
    momentLink(EVENT_PS, 'then'),
    partLink(bridge, ''),
    paramLink(bridge, posts, ''),
    ...bridge.params.map((param) => paramLink(bridge, param, '')),
    settingLink(bridge, posts, ''),
  ];

  test('reads well, and selected words become its text', () => {
    expect(inserted.slice(0, 4)).toEqual([
      '[0.0632 µs](time:0.0632 us)',
      '[then](time:0.0632 us)',
      `[${bridge.title}](part:bridge)`,
      '[8](param:bridge.posts)',
    ]);
    expect(settingLink(bridge, posts, 'one store')).toBe('[one store](set:bridge.posts=8)');
  });

  test('passes the check of a lesson', async () => {
    const engine = await createLocalEngine();
    const own = `\n\n${inserted.join('. ')}.\n\n## One more\n\n${sceneLine(EVENT_PS, bridge)}\n\nA step.\n`;
    const known = listScenarios().map(({ id }) => id);
    const context = { scenario, machine, known };
    expect(await checkLesson(engine, { text: text + own, file: '' }, context)).toEqual([]);

    // From nothing: an outline, and a question about what the run has counted.
    const { counters } = await runToEnd(engine, machine);
    const [counted] = countedIn([bridge], counters);
    if (!counted) return expect.unreachable('The bridge counts.');
    const [before, after] = outline(scenario.title).split('## What you can say now');
    const asked = `${before}${questionLines(counted)}\n\n## What you can say now${after}`;
    const found = await checkLesson(engine, { text: asked, file: '' }, context);
    // Only an author knows which other counters give the answer away.
    expect(found.filter(({ message }) => !message.includes('name it after "~"'))).toEqual([]);
    engine.dispose();
  });
});

test('a check that is stopped ends before the next piece', async () => {
  const engine = await createLocalEngine();
  let pieces = 0;
  const pause = async () => {
    pieces++;
    if (pieces === 3) throw new Error('stopped');
  };
  const context = { scenario, machine, known: [], pause };
  await expect(checkLesson(engine, { text, file: '' }, context)).rejects.toThrow('stopped');
  expect(pieces).toBe(3);
  engine.dispose();
});

describe('completion', () => {
  const known = [{ id: 'start/copies', title: 'Two ways to copy' }];
  const times = [EVENT_PS, 1_063_200];
  const at = (before: string) => {
    const found = suggestionsAt(before, { machine, scenario, known, times });
    return (
      found && { word: before.slice(found.from), labels: found.options.map((one) => one.label) }
    );
  };

  test.each([
    ['It [goes](', '', 'part:'],
    ['It [goes](pa', 'pa', 'param:'],
    ['[The bus](part:b', 'b', 'bus'],
    ['[8](param:bridge.', 'bridge.', 'bridge.posts'],
    ['[One](set:', '', 'bridge.posts='],
    ['[63 ns](run:cpu.lap', 'cpu.lap', 'cpu.lap_time'],
    ['[Two ways](scenario:', '', 'start/copies'],
    ['At [once](time:', '', '0.0632 us'],
    ['- [a] Longer {cpu.lap', 'cpu.lap', 'cpu.lap_time'],
    ['- [a] Longer {cpu.loads > 3 and cpu.', 'cpu.', 'cpu.lap_time'],
    ['! Look. {', '', 'cpu.lap_time'],
    ['~ cpu.in_load, ', '', 'cpu.lap_time'],
    ['@ ', '', '1.0632 us'],
    ['@ 63.2 ns cpu b', 'b', 'bridge'],
    ['@ 63.2 ns cpu panel ', '', 'why'],
  ])('“%s” offers names', (before, word, label) => {
    expect(at(before)).toMatchObject({ word });
    expect(at(before)?.labels).toContain(label);
  });

  test.each(['A word', '## A step', '[closed](part:bus) ', '- An option', '? What'])(
    '“%s” offers nothing',
    (before) => expect(at(before)).toBeNull(),
  );
});
