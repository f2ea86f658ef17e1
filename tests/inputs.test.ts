/**
 * Any input is refused with a place, a rule and a sentence, or it runs and ends. The inputs come from a seeded
 * generator; defects that it found have tests elsewhere.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  symlinkSync,
  truncateSync,
} from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { buildCli } from '../scripts/build.mjs';
import { lineOf } from '../src/model/scenario/problems';
import { openScenario, openShare, openText } from '../src/model/session/opening';
import { session } from '../src/model/session/session';
import { decodeDocument } from '../src/model/session/share';
import { busyard, type Ended, file, folder } from './support/command-line';
import { type CommandLine, commandLines, FILES_OF, gttpTables, linkCodes } from './support/inputs';

const SEED = 13;
/** Far more than any input takes; quadratic growth takes longer. */
const SLOW = 120_000;

/** Text that no user may see: stack traces, gaps in sentences, part numbers, admissions of internal errors. */
const INNARDS =
  /\n\s+at |undefined|\[object|\bNaN\b|\bnull\b is|Part \d|Row \d|code \d+\.|internal error|not a function|not iterable|call stack|Cannot read prop/;
/** The place: a line or value of a file, an option, or a word of the command line in quotes. */
const PLACE = /:\d+(:\d+)?: |\(\/[^)]*\)$|--\w|"|^\S+ (is|cannot be) /;

function files({ args, files: texts }: CommandLine): string[] {
  const paths = Object.entries(texts).map(([name, text]) => [name, file(name, text)] as const);
  return args.map((arg) =>
    paths.reduce((text, [name, path]) => text.replace(`{${name}}`, () => path), arg),
  );
}

/** Either a run or a refusal that helps. */
function checkEnded({ code, out, err }: Ended, mayFail = false): void {
  expect(err).not.toMatch(INNARDS);
  if (code === 0 || (code === 1 && mayFail)) return;
  expect({ code, out, err }).toMatchObject({ code: 2, out: '' });
  const lines = err.trimEnd().split('\n');
  for (const line of lines) expect(line).toMatch(/[.?!](…"\.)?( \(\/.*\))?$/s);
  expect(lines[0]).toMatch(PLACE);
}

const RUNS: Readonly<Record<string, number>> = {
  scenarios: 170,
  sessions: 90,
  'traces of mappings': 80,
  ftrace: 60,
  references: 60,
  'tables of gttp': 30,
};

describe('the command line accepts or rejects', () => {
  test.each(Object.entries(FILES_OF))(
    '%s',
    async (kind, inputs) => {
      const property = fc.asyncProperty(inputs, async (line) => {
        // A trace may differ from its recorded values: that is a result.
        checkEnded(await busyard(...files(line)), line.args[0] === 'replay-maps');
      });
      await fc.assert(property, { numRuns: RUNS[kind] ?? 0, seed: SEED });
    },
    SLOW,
  );

  test(
    'options and their values',
    async () => {
      const property = fc.asyncProperty(commandLines, async (line) => {
        checkEnded(await busyard(...files(line)), /^(check|replay-maps)$/.test(line.args[0] ?? ''));
      });
      await fc.assert(property, { numRuns: 150, seed: SEED });
    },
    SLOW,
  );
});

describe('the page accepts or rejects', () => {
  beforeAll(async () => {
    expect(await openScenario('gt/crossover')).toEqual({ ok: true });
  });

  /** Opened, or refused with a sentence and without losing anything. */
  const opens = async (open: () => ReturnType<typeof openText>) => {
    const before = session.getState();
    const result = await open();
    expect(session.getState().status).toBe('open');
    if (result.ok) return;
    expect(session.getState()).toBe(before);
    expect(result.title).toMatch(/\.$/);
    expect(result.problems.length).toBeGreaterThan(0);
    for (const found of result.problems) {
      expect(found.message).toMatch(/[.?!](…"\.)?$/s);
      expect(lineOf(found)).not.toMatch(INNARDS);
    }
  };

  test(
    'links',
    async () => {
      const property = fc.asyncProperty(linkCodes, (code) =>
        opens(() => openShare(code, decodeDocument)),
      );
      await fc.assert(property, { numRuns: 70, seed: SEED });
    },
    SLOW,
  );

  test(
    'measurements',
    async () => {
      const property = fc.asyncProperty(gttpTables, (text) =>
        opens(() => openText(text, 'my.txt')),
      );
      await fc.assert(property, { numRuns: 60, seed: SEED });
    },
    SLOW,
  );
});

/** Writes the maximum memory of a process, in KiB, to descriptor 3 when it ends. */
const REPORT = `data:text/javascript,${encodeURIComponent(
  "import { writeSync } from 'node:fs';process.on('exit',()=>writeSync(3,String(process.resourceUsage().maxRSS)));",
)}`;
const PROGRAM = join(import.meta.dirname, '../dist-cli/busyard.js');

function spawned(args: readonly string[], stdout: 'pipe' | number = 'pipe') {
  const { status, signal, output } = spawnSync(
    process.execPath,
    ['--import', REPORT, PROGRAM, ...args],
    {
      cwd: folder,
      stdio: ['ignore', stdout, 'pipe', 'pipe'],
      encoding: 'utf8',
      timeout: SLOW,
      maxBuffer: 1 << 26,
    },
  );
  const [, out, err, kibibytes] = output;
  return {
    ended: { code: status ?? -1, out: out ?? '', err: err ?? '' },
    signal,
    mebibytes: Number(kibibytes) / 1024,
  };
}

describe('in a process of its own, within 256 MiB,', () => {
  beforeAll(async () => {
    await buildCli();
    mkdirSync(join(folder, 'machines.json'));
    symlinkSync('circle.json', join(folder, 'circle.json'));
    truncateSync(file('zeros', ''), 200 * 2 ** 20);
    const piece = Buffer.alloc(2 ** 20, '0');
    const member = gzipSync(piece);
    const [line, packed] = [file('line', ''), file('packed', '')];
    for (let i = 0; i < 200; i++) {
      appendFileSync(line, piece);
      appendFileSync(packed, member);
    }
    spawnSync('mkfifo', [join(folder, 'pipe')]);
  }, SLOW);

  test(
    'a sweep on several threads gives the same as on one',
    () => {
      const args = ['sweep', 'gt/crossover', '--over', 'bridge.posts=1..6', '--jobs'];
      const { ended } = spawned([...args, '1']);
      expect(ended).toMatchObject({ code: 0, err: '' });
      expect(ended.out.trimEnd().split('\n')).toHaveLength(7);
      expect(spawned([...args, '3']).ended).toEqual(ended);
    },
    SLOW,
  );

  test.each<[string, string[], RegExp]>([
    ['a folder', ['run', 'machines.json'], /^machines\.json is a folder/],
    ['links in a circle', ['replay-maps', 'circle.json'], /its links form a loop/],
    ['a device', ['replay-refs', '/dev/zero'], /^\/dev\/zero is a device/],
    ['a file of zeros as scenario', ['run', 'zeros'], /larger than 256 KiB/],
    ['a file of zeros as ftrace', ['replay-maps', 'zeros'], /^zeros is a binary file/],
    ['a file of zeros as references', ['replay-refs', 'zeros'], /^zeros is a binary file/],
    [
      'a file of one line as ftrace',
      ['replay-maps', 'line'],
      /^line:1: A line of ftrace has at most/,
    ],
    [
      'a file of one line as references',
      ['replay-refs', 'line'],
      /^line:1:1: this line is too long for a trace of references/,
    ],
    [
      'a line that is packed to a thousandth',
      ['replay-maps', 'packed'],
      /^packed:1: A line of ftrace has at most/,
    ],
    ['brackets without end', ['run', 'brackets'], /^brackets:1:33: Values may be nested 32 deep/],
  ])(
    '%s is refused',
    (_, args, sentence) => {
      file('brackets', '['.repeat(200_000));
      const { ended, mebibytes } = spawned(args);
      checkEnded(ended);
      expect(ended.code).toBe(2);
      expect(ended.err).toMatch(sentence);
      expect(mebibytes).toBeLessThan(256);
    },
    SLOW,
  );

  test('"-" is standard input', () => {
    const recording = readFileSync('tests/data/field/t6_tracecmd.txt.gz');
    const { status, stdout } = spawnSync(
      process.execPath,
      [PROGRAM, 'replay-maps', '-', '--check'],
      { input: recording, encoding: 'utf8' },
    );
    expect(stdout).toContain('-: 2 calls');
    expect(status).toBe(0);
  });

  test.each(Object.keys(FILES_OF))(
    'a sample of bad %s is taken or refused',
    (kind) => {
      for (const line of fc.sample(FILES_OF[kind] as fc.Arbitrary<CommandLine>, {
        numRuns: 3,
        seed: SEED,
      })) {
        const { ended, mebibytes } = spawned(files(line));
        checkEnded(ended, line.args[0] === 'replay-maps');
        expect(mebibytes).toBeLessThan(256);
      }
    },
    SLOW,
  );

  test(
    'mappings at one place are followed',
    () => {
      const map = 'x-1 [003] d..1. 8.1: map: IOMMU: iova=0x1000 - 0x2000 paddr=0x0 size=4096\n';
      const { ended, mebibytes } = spawned([
        'replay-maps',
        file('same', map.repeat(60_000)),
        '--policy=pools',
      ]);
      expect(ended.out).toContain('same: 60000 operations, 60000 of them allocations');
      expect(mebibytes).toBeLessThan(256);
    },
    SLOW,
  );

  test(
    'a disk that is full is reported in a sentence',
    () => {
      const full = openSync('/dev/full', 'w');
      const { ended } = spawned(['run', 'gt/gfixit'], full);
      closeSync(full);
      expect(ended).toMatchObject({
        code: 1,
        err: 'The result cannot be written: no space is left on the device.\n',
      });
    },
    SLOW,
  );

  test(
    'a pipe is read like a file',
    async () => {
      const child = spawn(process.execPath, [PROGRAM, 'run', join(folder, 'pipe'), '--json']);
      let out = '';
      child.stdout.on('data', (text) => {
        out += text;
      });
      await writeFile(join(folder, 'pipe'), readFileSync('scenarios/gt/gfixit.json'));
      expect(await once(child, 'close')).toEqual([0, null]);
      expect(JSON.parse(out)).toMatchObject({ reason: 'idle' });
    },
    SLOW,
  );

  test(
    'a run without end can be stopped',
    async () => {
      const endless = JSON.parse(readFileSync('scenarios/gt/one-word.json', 'utf8'));
      const program = [{ do: 'repeat' }, { do: 'lap' }, { do: 'lap_end' }, { do: 'again' }];
      const scenario = { ...endless, programs: {}, workload: { cpu: program }, until: '9000 s' };
      const path = file(
        'endless.json',
        JSON.stringify({ ...scenario, expect: [], lesson: '# Endless' }),
      );
      const child = spawn(process.execPath, [PROGRAM, 'run', path], { stdio: 'ignore' });
      const ended = once(child, 'close');
      await Promise.race([ended, new Promise((later) => setTimeout(later, 2000))]);
      child.kill('SIGINT');
      expect(await ended).toEqual([null, 'SIGINT']);
    },
    SLOW,
  );
});
