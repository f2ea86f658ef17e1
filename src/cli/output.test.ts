import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { program } from './program';

const folder = mkdtempSync(join(tmpdir(), 'busyard-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Sets the terminal title, rings the bell, clears the screen, hides text, and starts 8-bit control sequences. */
const EVIL = '\x1b]0;owned\x07\x1b[2J\x1b[8m\x9b31m\x9d0;x\x9c\x7f\x08\r\u202egnp.exe';
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be printed
const OBEYED = /[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/;

const scenario = join(folder, 'evil.json');
writeFileSync(
  scenario,
  JSON.stringify({
    busyard: 1,
    title: `Four words ${EVIL}`,
    summary: EVIL,
    system: 'gt',
    machine: { extends: 'gt-system-a', parts: { cpu: { title: `CPU ${EVIL}` } } },
    programs: {
      store: [
        { do: 'lap' },
        { do: 'pio_write', from: '0x100000', to: '0x80000000', bytes: '$size' },
        { do: 'lap_end' },
      ],
    },
    variables: { size: 4 },
    workload: { cpu: 'store' },
    until: '1 ms',
    metrics: {
      time: { title: `time ${EVIL}`, unit: `ns${EVIL}`, product: ['cpu.lap_time'] },
      rate: { title: EVIL, unit: 'MB/s', product: ['$size', 1e6], over: ['cpu.lap_time'] },
    },
    experiment: { axes: { size: [4, 8] }, metrics: ['time', 'rate'] },
    expect: [
      {
        figure: 'gt.pio_write.4',
        at: { size: 4 },
        metric: 'rate',
        tolerance: 1,
        role: 'held-out',
        title: EVIL,
      },
    ],
    view: { kind: 'machine' },
  }),
);
const broken = join(folder, 'broken.json');
writeFileSync(broken, `{"busyard": 1, ${JSON.stringify(EVIL)}: 1, "title": "${EVIL}"}`);

/** Output of a command line, on both streams. */
async function written(...args: string[]): Promise<{ code: number; all: string }> {
  let all = '';
  const keep = (text: string | Uint8Array) => {
    all += text;
    return true;
  };
  const streams = [process.stdout, process.stderr].map((stream) =>
    vi.spyOn(stream, 'write').mockImplementation(keep),
  );
  const code = await program(args);
  for (const stream of streams) stream.mockRestore();
  return { code, all };
}

describe('control sequences in untrusted text are escaped in the output of:', () => {
  const commands: Record<string, string[]> = {
    run: ['run', scenario],
    'run as JSON': ['run', scenario, '--json'],
    check: ['check', scenario],
    'check as JUnit': ['check', scenario, '--junit'],
    'check as JSON': ['check', scenario, '--json'],
    'sweep as CSV': ['sweep', scenario, '--csv'],
    'sweep as JSON': ['sweep', scenario, '--json'],
    trace: ['trace', scenario],
    'trace as VCD': ['trace', scenario, '--format', 'vcd'],
    'trace for Perfetto': ['trace', scenario, '--format', 'perfetto'],
  };
  test.each(Object.keys(commands))('%s', async (name) => {
    const { code, all } = await written(...(commands[name] ?? []));
    expect(code, all).toBeLessThan(2);
    expect(all).not.toMatch(OBEYED);
  });

  const refused: Record<string, string[]> = {
    'a broken file': ['run', broken],
    'a missing file': ['run', EVIL],
    'an unknown parameter': ['run', scenario, '--set', `cpu.${EVIL}=1`],
    'an unknown option': ['run', scenario, `--${EVIL}`],
    'a file that is not a trace of references': ['replay-refs', EVIL],
    'a file that is not a trace of maps': ['replay-maps', broken],
    'an unknown command': [EVIL],
  };
  test.each(Object.keys(refused))('%s', async (name) => {
    const { code, all } = await written(...(refused[name] ?? []));
    expect(code).toBe(2);
    expect(all).not.toBe('');
    expect(all).not.toMatch(OBEYED);
  });
});

test('escaped characters are visible, and JSON keeps its meaning', async () => {
  expect((await written('run', scenario)).all).toContain('Four words \\u001b]0;owned\\u0007');
  const events = (await written('trace', scenario)).all.trimEnd().split('\n');
  const { part_title } = JSON.parse(events[0] ?? '');
  expect(part_title).toBe(`CPU ${EVIL}`);
});
