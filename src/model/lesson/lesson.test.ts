import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { inlinesIn, inlinesOf, parseLesson, plainText } from './lesson';

const TEXT = `# When does DMA pay?

## A word at a time

The processor stores **each word** itself. [The posting buffer](part:bridge) takes
*eight* of them, see \`bridge.posts\`.

- first store
- second store,
  on two lines

## The engine

? Which ends first?
- PIO {cpu.lap_time < 10 us}
- DMA {cpu.lap_time >= 10 us and gt.dma_writes = 1}
~ cpu.lap_busy, time
+ bytes=512
@ cpu 12.6 us
= The DMA pays 8.1 us around its data.
`;

test('a lesson is a title and steps', () => {
  const lesson = parseLesson(TEXT);
  expect(lesson.title).toBe('When does DMA pay?');
  expect(lesson.steps.map((step) => step.title)).toEqual(['A word at a time', 'The engine']);
});

test('prose keeps its order, and lines are joined', () => {
  const [paragraph, list] = parseLesson(TEXT).steps[0]?.blocks ?? [];
  expect(paragraph?.kind === 'paragraph' && plainText(paragraph.inlines)).toBe(
    'The processor stores each word itself. The posting buffer takes eight of them, see bridge.posts.',
  );
  expect(list?.kind === 'list' && list.items.map(plainText)).toEqual([
    'first store',
    'second store, on two lines',
  ]);
});

test('a table is a header, a rule, and rows with as many cells', () => {
  const kindsOf = (text: string) => parseLesson(text).steps[0]?.blocks.map(({ kind }) => kind);
  const table =
    '| | *alone* | both |\n|---|--:|---|\n| 64 B | 312 | [121](time:1 us) |\n| 1 KiB | 881 | |';
  const [block] = parseLesson(table).steps[0]?.blocks ?? [];
  if (block?.kind !== 'table') throw new Error('That is no table.');
  expect([block.head, ...block.rows].map((cells) => cells.map(plainText))).toEqual([
    ['', 'alone', 'both'],
    ['64 B', '312', '121'],
    ['1 KiB', '881', ''],
  ]);
  expect(block.rows[0]?.[2]?.[0]?.kind).toBe('link');
  for (const broken of [
    table.replace('|---|--:|---|\n', ''),
    table.replace('| 881 ', ''),
    table.replace('| 1 KiB', '1 KiB'),
    `These are:\n${table}`,
    '| a |\n|---|',
  ])
    expect(kindsOf(broken)).toEqual(['paragraph']);
});

test('links refer only to parts, parameters, times, scenarios and the web', () => {
  const to = (address: string) => {
    const [link] = inlinesOf(`[x](${address})`);
    return link?.kind === 'link' ? link.to : null;
  };
  expect(to('part:bridge')).toEqual({ kind: 'part', value: 'bridge' });
  expect(to('param:bridge.posts')).toEqual({ kind: 'param', value: 'bridge.posts' });
  expect(to('time:8.3 us')).toEqual({ kind: 'time', value: '8.3 us' });
  expect(to('https://example.org/a')).toEqual({ kind: 'outside', value: 'https://example.org/a' });
  expect(to('javascript:alert(1)')?.kind).toBe('nowhere');
  expect(to('data:text/html,x')?.kind).toBe('nowhere');
});

test('HTML stays text', () => {
  expect(inlinesOf('<img src=x onerror=alert(1)>')).toEqual([
    { kind: 'text', text: '<img src=x onerror=alert(1)>' },
  ]);
});

test('each option of a question has a condition', () => {
  const question = parseLesson(TEXT).steps[1]?.question;
  expect(plainText(question?.prompt ?? [])).toBe('Which ends first?');
  expect(question?.options.map((option) => plainText(option.inlines))).toEqual(['PIO', 'DMA']);
  expect(question?.options[1]?.when).toEqual([
    { part: 'cpu', counter: 'lap_time', operator: '>=', value: '10 us' },
    { part: 'gt', counter: 'dma_writes', operator: '=', value: '1' },
  ]);
  expect(question?.set).toBe('bytes=512');
  expect(question?.hides).toEqual(['cpu.lap_busy', 'time']);
  expect(question?.seen).toEqual({ part: 'cpu', time: '12.6 us' });
  expect(plainText(question?.because ?? [])).toBe('The DMA pays 8.1 us around its data.');
});

test('an empty lesson has no steps', () => {
  expect(parseLesson('')).toEqual({ title: '', objectives: [], steps: [] });
});

/** What the marks mean, as one expression: it looks back and forth, so only for short texts. */
const SPANS = /\*\*(.+?)\*\*|\*(.+?)\*|`(.+?)`|\[([^\]]+)\]\(([^)]+)\)/g;

test('inline parsing agrees with the regular expression for any order of marks', () => {
  const piece = fc.constantFrom('*', '**', '`', '[', ']', '(', ')', 'a', ' b ', '](', '[a](b)');
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
      const text = pieces.join('');
      const spans = inlinesOf(text).filter(({ kind }) => kind !== 'text');
      const expected = [...text.matchAll(SPANS)].map(
        ([, strong, emphasis, code, label]) => strong ?? emphasis ?? code ?? label,
      );
      expect(spans.map((span) => span.text)).toEqual(expected);
    }),
    { seed: 3, numRuns: 2000 },
  );
});

test.each(['[a](', '[', '**a', '*', '`', '*a `b [c', '[a](b'])(
  'a text full of %s is searched once per mark',
  (piece) => {
    const text = piece.repeat(5_000);
    const find = String.prototype.indexOf;
    let steps = 0;
    const spy = vi.spyOn(String.prototype, 'indexOf').mockImplementation(function (
      this: string,
      mark: string,
      from = 0,
    ) {
      const at = find.call(this, mark, from);
      steps += (at < 0 ? this.length : at) - from;
      return at;
    });
    inlinesOf(text);
    spy.mockRestore();
    expect(steps).toBeLessThanOrEqual(4 * text.length);
  },
);

test('the condition of an option is in the last braces of its line', () => {
  const question = parseLesson('# T\n\n? Which?\n- a {b} {c.d   =  1 and e.f < 2 us}\n- g {h}');
  const [first, second] = question.steps[0]?.question?.options ?? [];
  expect(plainText(first?.inlines ?? [])).toBe('a {b}');
  expect(first?.when).toEqual([
    { part: 'c', counter: 'd', operator: '=', value: '1' },
    { part: 'e', counter: 'f', operator: '<', value: '2 us' },
  ]);
  expect(plainText(second?.inlines ?? [])).toBe('g {h}');
});

test('objectives and notes are kept apart from the text of the steps', () => {
  const { objectives, steps } = parseLesson(
    '# A\n\n% say what\n% name *one*,\nor two\n\n## B\n\nText.\n\n> Ask.\n> Wait.\n\n> Then show.\n',
  );
  expect(objectives.map(plainText)).toEqual(['say what', 'name one, or two']);
  expect(steps.map(({ title, blocks }) => [title, blocks.length])).toEqual([['B', 1]]);
  const notes = steps[0]?.notes.flatMap(inlinesIn) ?? [];
  expect(notes.map(({ text }) => text)).toEqual(['Ask. Wait.', 'Then show.']);
});
