// The results, as docs/mutation.md and as a summary.
import { grouped } from './sample.mjs';
import { kindOfTest } from './verdict.mjs';

const NOTICED = ['behaviour', 'trap', 'time-out', 'pin'];
const COLUMNS = [...NOTICED, 'survived', 'open'];

const percent = (part, whole) => (whole === 0 ? '-' : `${((100 * part) / whole).toFixed(1)} %`);
const count = (judged, ...verdicts) =>
  judged.filter(({ verdict }) => verdicts.includes(verdict)).length;

/** Effective mutants: those that do not compile, or compile to the same code or behaviour, do not count. */
const real = (judged) => judged.filter(({ verdict }) => COLUMNS.includes(verdict));

const table = (head, rows) =>
  [head, head.map((_, i) => (i === 0 ? '---' : '---:')), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');

const code = (text) => {
  const one = text.replace(/\s+/g, ' ').replaceAll('|', '\\|');
  return `\`${one.length > 70 ? `${one.slice(0, 67)}...` : one}\``;
};

const row = (name, judged) => [
  ...[name, judged.length],
  ...COLUMNS.map((verdict) => count(judged, verdict)),
  percent(count(judged, 'behaviour'), judged.length),
  percent(count(judged, ...NOTICED), judged.length),
];

function tableBy(judged, nameOf) {
  const groups = [...grouped(judged, nameOf)].sort(([a], [b]) => (a < b ? -1 : 1));
  return groups.map(([name, own]) => row(name, own));
}

const HEAD = ['', 'mutants', ...COLUMNS, 'by behaviour', 'by anything'];

const folderOf = ({ path }) => path.slice('wasm/'.length, path.lastIndexOf('/'));

const strongest = ({ verdict, found }) => found.find(({ kind }) => kind === verdict);

function kindsOf(judged) {
  const kinds = grouped(
    judged.filter(({ verdict }) => verdict === 'behaviour'),
    (mutant) => kindOfTest(strongest(mutant)),
  );
  const rows = [...kinds].map(([kind, own]) => [kind, own.length]);
  return table(
    ['noticed first by', 'mutants'],
    rows.sort(([, a], [, b]) => b - a),
  );
}

/** The judges, by their names in results. */
const STAGES = {
  unit: 'unit tests in C',
  warm: 'tests in TypeScript that reach it',
  whole: 'all tests in TypeScript that use the engine',
};

/** Mutants detected by each judge among those left by the earlier ones: a trap leaves the question open. */
function stagesOf(judged) {
  const stageOf = ({ stage, ...mutant }) =>
    strongest(mutant)?.file.startsWith('wasm/') ? 'unit' : stage;
  let left = judged;
  const asked = Object.keys(STAGES).filter((name) => judged.some((one) => stageOf(one) === name));
  const rows = asked.map((name) => {
    const own = left.filter((one) => NOTICED.includes(one.verdict) && stageOf(one) === name);
    const [reached, noticed] = [left.length, count(own, 'behaviour')];
    left = left.filter((one) => !own.includes(one) || one.verdict === 'trap');
    return [STAGES[name], reached, noticed, own.length - noticed];
  });
  return table(['tests', 'mutants run', 'noticed by behaviour', 'otherwise'], rows);
}

const change = ({ was, becomes, operator }) =>
  operator === 'left out' ? `${code(was)} left out` : `${code(was)} becomes ${code(becomes)}`;

function listed(judged, verdict) {
  return judged
    .filter((mutant) => mutant.verdict === verdict)
    .sort((a, b) => (a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1))
    .map((mutant) => {
      const where = `\`${mutant.id}\` ${mutant.path.slice('wasm/'.length)}, ${mutant.function}`;
      const note = mutant.note ? ` ${mutant.note}` : '';
      const by = mutant.found.map(({ file, test }) => `${file}, "${test}"`);
      return `- ${where}: ${change(mutant)}.${by[0] ? ` Seen by ${by[0]}.` : ''}${note}`;
    })
    .join('\n');
}

function section(judged, verdict, title, text) {
  const list = listed(judged, verdict);
  return list ? [`## ${title}`, '', text, '', list, ''] : [];
}

/** A summary for the terminal. */
export function summaryOf(judged) {
  const mutants = real(judged);
  const parts = COLUMNS.map((verdict) => `${verdict} ${count(mutants, verdict)}`);
  const away = `${count(judged, 'same code')} change no code, ${count(judged, 'equivalent')} come to the same, ${count(judged, 'not C')} are not C`;
  return `${mutants.length} mutants: ${parts.join(', ')} (${away}); ${percent(count(mutants, 'behaviour'), mutants.length)} noticed by behaviour, ${percent(count(mutants, ...NOTICED), mutants.length)} by anything`;
}

/** The report, in Markdown. */
export function reportOf(judged, { all, date, command }) {
  const mutants = real(judged);
  return [
    '# Mutation testing',
    '',
    `Written by \`${command}\` on ${date}. Each mutant is one small change of the engine in \`wasm/\`: a relation, an`,
    'operator, a number, a condition, or a statement left out. The tests that use it are run until one fails: unit tests',
    `in C first, then tests in TypeScript. Of ${all} mutants a sample of ${judged.length}, spread over all files, was run.`,
    `${count(judged, 'same code')} give the same optimized code, ${count(judged, 'not C')} do not compile, and`,
    `${count(judged, 'equivalent')} are equivalent, with the reason below. ${mutants.length} count. They were noticed by:`,
    '',
    '- **behaviour**: a test that states an invariant, a reference, a published figure, a rule or an answer;',
    '- **trap**: only an assertion of the engine or a sanitizer;',
    '- **time-out**: only a test that does not end;',
    '- **pin**: only a recorded count, hash or picture (tests with the tag `pin`);',
    '- **survived**: no test;',
    '- **open**: no test of those that were run; counts as not noticed.',
    '',
    table(HEAD, [row('all', mutants)]),
    '',
    stagesOf(mutants),
    '',
    kindsOf(mutants),
    '',
    '## By folder',
    '',
    table(HEAD, tableBy(mutants, folderOf)),
    '',
    '## By change',
    '',
    table(
      HEAD,
      tableBy(mutants, ({ operator }) => `\`${operator.replaceAll('|', '\\|')}\``),
    ),
    '',
    ...section(mutants, 'survived', 'Survived', 'Nothing noticed them.'),
    ...section(mutants, 'open', 'Open', 'No test of those that were run notices them.'),
    ...section(
      mutants,
      'pin',
      'Noticed by a recorded count only',
      'Each needs a test of behaviour.',
    ),
    ...section(mutants, 'trap', 'Noticed by a trap only', 'The engine stopped.'),
    ...section(mutants, 'time-out', 'Noticed by a time-out only', 'A test did not end.'),
    ...section(judged, 'equivalent', 'Equivalent', 'Judged by hand; not counted.'),
  ].join('\n');
}
