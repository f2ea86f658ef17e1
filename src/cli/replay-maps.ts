/**
 * `busyard replay-maps`: the allocator of I/O page table entries against a recorded run, or a recorded
 * pattern through other policies. Exit code 1 if an answer differs from the recorded one.
 */
import { basename } from 'node:path';
import { parseQuantity } from '../base/quantity.mjs';
import { inlineChecks } from '../engine/code-inline';
import { isTrace, type Pattern, readPattern } from '../model/mapPattern';
import { MAP_POLICIES, type MapPolicy } from '../model/mapPolicies';
import { type MapGeometry, type MapRunReport, runPattern } from '../model/mapRun';
import type { ByteSource } from '../model/mapTrace';
import { type Mismatch, type ReplayReport, replayMaps } from '../model/replayMaps';
import { hint, quote } from '../model/suggest';
import { parseCommand } from './arguments';
import { withBytes } from './input';
import { write, writeJson } from './output';
import { Refusal } from './refusal';

const OPTIONS = {
  json: { type: 'boolean' },
  policy: { type: 'string', multiple: true },
  pools: { type: 'string' },
  entries: { type: 'string' },
  page: { type: 'string' },
} as const;

const DEFAULT = { entries: 262144, pools: 16, page: '4 KiB', multiplier: 0x61c88647 };

function policiesFrom(written: readonly string[]): readonly MapPolicy[] {
  const names = written.flatMap((text) => text.split(','));
  if (names.includes('all')) return MAP_POLICIES;
  return names.map((name) => {
    const found = MAP_POLICIES.find((policy) => policy.name === name);
    if (found) return found;
    const known = [...MAP_POLICIES.map((policy) => policy.name), 'all'];
    throw new Refusal(`There is no policy ${quote(name)}${hint(name, known)}`);
  });
}

function number(option: string, text: string, type: 'count' | 'bytes'): number {
  try {
    const value = Number(parseQuantity(text, type));
    if (value > 0 && value <= 1 << 26) return value;
  } catch (error) {
    throw new Refusal(`--${option}: ${(error as Error).message}`);
  }
  throw new Refusal(`--${option}: ${quote(text)} is out of range.`);
}

function told(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  return JSON.stringify(value);
}

const mismatchText = ({ line, operation, field, expected, actual, text }: Mismatch): string =>
  `first mismatch: line ${line}, operation ${operation}, field "${field}": expected ${told(expected)}, got ${told(actual)}\n  ${text}\n`;

function reportText(file: string, report: ReplayReport): string {
  const { operations, failures, checkpoints, compared, mismatches, first_mismatch: first } = report;
  const end = report.complete ? '' : '; the last line of the trace is missing';
  return `${file}: ${operations} operations, ${failures} failed allocations, ${checkpoints} checkpoints${end}
${compared} values compared, ${mismatches} mismatches
${first ? mismatchText(first) : ''}`;
}

async function compare(file: string, source: ByteSource, json: boolean): Promise<number> {
  const module = await inlineChecks();
  const started = performance.now();
  const report = replayMaps(module, source);
  const seconds = (performance.now() - started) / 1000;
  const rate = Math.round(report.operations / Math.max(seconds, 1e-6));
  if (json) await writeJson({ file, ...report, operations_per_second: rate });
  else await write([reportText(file, report)]);
  return report.mismatches > 0 ? 1 : 0;
}

const COLUMNS: readonly (readonly [string, (report: MapRunReport) => string])[] = [
  ['policy', ({ policy }) => policy],
  ['pools', ({ pools }) => String(pools)],
  ['failed', ({ failures }) => String(failures)],
  ['words mean', ({ words }) => words.mean.toFixed(2)],
  ['99 %', ({ words }) => String(words.p99)],
  ['most', ({ words }) => String(words.most)],
  ['locks mean', ({ locks }) => locks.mean.toFixed(3)],
  ['busiest lock', ({ acquisitions }) => String(Math.max(0, ...acquisitions))],
  ['flushes', ({ flushes }) => String(flushes)],
  ['reused unflushed', ({ reused_without_flush: reused }) => String(reused ?? '-')],
  ['longest free', (report) => String(Math.max(0, ...report.longest_free))],
  ...[1, 16, 256].map((pages): readonly [string, (report: MapRunReport) => string] => [
    `serve ${pages}`,
    ({ serves, longest_free }) =>
      `${serves.find((one) => one.pages === pages)?.pools ?? 0}/${longest_free.length}`,
  ]),
];

function tableText(pattern: Pattern, reports: readonly MapRunReport[]): string {
  const takes = pattern.steps.filter((step) => step.kind !== 'give').length;
  const rows = [
    COLUMNS.map(([title]) => title),
    ...reports.map((report) => COLUMNS.map(([, cell]) => cell(report))),
  ];
  const widths = COLUMNS.map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    row
      .map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)))
      .join('  ');
  return `${pattern.name}: ${pattern.steps.length} operations, ${takes} of them allocations\n${rows.map(line).join('\n')}\n`;
}

interface PolicyChoice {
  readonly policies: readonly MapPolicy[];
  readonly pools: string | undefined;
  readonly entries: string | undefined;
}

function geometryOf(pattern: Pattern, choice: PolicyChoice, pageBytes: number): MapGeometry {
  const { init } = pattern;
  const entries = choice.entries && number('entries', choice.entries, 'count');
  return {
    entries: entries || init?.entries || DEFAULT.entries,
    shift: init?.shift ?? Math.log2(pageBytes),
    base: init?.base ?? 0n,
    boundary: init?.boundary ?? 0xffffffffn,
    pools: choice.pools ? number('pools', choice.pools, 'count') : init?.pools || DEFAULT.pools,
    multiplier: init?.multiplier ?? DEFAULT.multiplier,
  };
}

function pageFrom(written: string | undefined): number {
  const bytes = number('page', written ?? DEFAULT.page, 'bytes');
  if (Number.isInteger(Math.log2(bytes))) return bytes;
  throw new Refusal('--page: A page is a power of two of bytes.');
}

async function runPolicies(
  file: string,
  pattern: Pattern,
  pageBytes: number,
  choice: PolicyChoice,
  json: boolean,
): Promise<number> {
  const geometry = geometryOf(pattern, choice, pageBytes);
  const module = await inlineChecks();
  const reports = choice.policies.map((policy) => runPattern(module, pattern, policy, geometry));
  const { source, name, steps, left_out } = pattern;
  if (json)
    await writeJson({ file, source, name, operations: steps.length, left_out, policies: reports });
  else await write([tableText(pattern, reports)]);
  return 0;
}

export async function replayMapsCommand(args: readonly string[]): Promise<number> {
  const { values, file } = parseCommand('replay-maps', args, OPTIONS);
  const { policy, pools, entries, page, json = false } = values;
  const choice = { policies: policiesFrom(policy ?? ['all']), pools, entries };
  const pageBytes = pageFrom(page);
  return withBytes(file, async (source, beginning) => {
    const trace = isTrace(beginning);
    if (trace && !policy) return compare(file, source, json);
    const pattern = readPattern(source, trace, pageBytes, basename(file));
    return runPolicies(file, pattern, pageBytes, choice, json);
  });
}
