/**
 * `busyard replay-maps`: replays a recorded run of the I/O page table allocator and compares the results, runs a
 * recorded pattern with other policies, or checks a driver against the contract of the mapping interface. Exit code
 * 1 if a result differs from the recorded one, or the driver violates the contract.
 */
import { basename } from 'node:path';
import { formatQuantity, parseQuantity } from '../base/quantity.mjs';
import { hint, quote } from '../base/suggest';
import { EngineError } from '../engine/api';
import { inlineChecks } from '../engine/engine-code-inline';
import { MAX_ENTRIES, MAX_POOLS } from '../engine/maps';
import { type ContractReport, checkRecorded } from '../model/pools/map-contract';
import { isTrace, type Pattern, readPattern } from '../model/pools/map-pattern';
import { MAP_POLICIES, type MapPolicy } from '../model/pools/map-policies';
import { type Mismatch, type ReplayReport, replayMaps } from '../model/pools/map-replay';
import { geometryOf, MAX_TOGETHER, type MapRunReport, runPattern } from '../model/pools/map-run';
import { type ByteSource, TraceError } from '../model/pools/map-trace';
import {
  breachText,
  contractNotes,
  POLICY_COLUMNS,
  patternNotes,
  recordingNotes,
} from '../model/pools/recording-words';
import { fileCommand, JSON_OPTION } from './arguments';
import { withBytes } from './files';
import { count, write, writeJson } from './output';
import { Refusal } from './refusal';

const SPEC = {
  name: 'replay-maps',
  summary:
    'Replays a trace of the pooled IOMMU allocator, or the pattern of mappings that ftrace recorded.',
  takes: ['<FILE>', "the trace, or ftrace's iommu:map and iommu:unmap events"],
  more: `Without --policy every answer of a trace is compared with the recorded one; exit code 1 if one differs.
With --policy the pattern of the trace, or of ftrace's events, runs with other policies.
With --check the driver is checked against the contract: each mapping unmapped once, as mapped, and not used after.
Reads ftrace's iommu and dma events; FILE may be compressed with gzip, or be - for standard input.`,
  options: {
    policy: { value: 'name', many: true, help: 'a policy, several with commas, or all' },
    pools: { value: 'number', help: 'pools of the table, for --policy' },
    entries: { value: 'number', help: 'entries of the table, for --policy' },
    page: { value: 'size', help: 'size of a page, for --policy; default: 4 KiB' },
    check: { help: 'exit code 1 if the driver breaks the contract' },
    json: JSON_OPTION,
  },
} as const;

/** Options of the table used with --policy. */
const TABLE = ['pools', 'entries', 'page'] as const;

const DEFAULT_PAGE = '4 KiB';

function policiesFrom(written: readonly string[]): readonly MapPolicy[] {
  const chosen = written
    .flatMap((text) => text.split(','))
    .flatMap((name) => {
      if (name === 'all') return MAP_POLICIES;
      const found = MAP_POLICIES.find((policy) => policy.name === name);
      if (found) return [found];
      const known = [...MAP_POLICIES.map((policy) => policy.name), 'all'];
      throw new Refusal(`There is no policy ${quote(name)}${hint(name, known)}`);
    });
  return [...new Set(chosen)];
}

function number(
  option: string,
  text: string,
  type: 'count' | 'bytes',
  [least, most]: readonly [number, number],
): number {
  try {
    const value = parseQuantity(text, type);
    if (value >= BigInt(least) && value <= BigInt(most)) return Number(value);
  } catch (error) {
    throw new Refusal(`--${option}: ${(error as Error).message}`);
  }
  const range = [least, most].map((limit) => formatQuantity(BigInt(limit), type)).join(' to ');
  throw new Refusal(`--${option}: ${quote(text)} is out of range; it is ${range}.`);
}

/** Longer values and lines are cut, to keep the message readable. */
const SHOWN = 400;
const cut = (text: string) => (text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text);

function valueText(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  return cut(JSON.stringify(value));
}

const mismatchText = ({ line, operation, field, expected, actual, text }: Mismatch): string =>
  `first mismatch: line ${line}, operation ${operation}, field "${field}": expected ${valueText(expected)}, got ${valueText(actual)}\n  ${cut(text)}\n`;

function reportText(file: string, report: ReplayReport): string {
  const { operations, failures, checkpoints, compared, mismatches, first_mismatch: first } = report;
  const end = report.complete ? '' : '; the last line of the trace is missing';
  return `${file}: ${operations} operations, ${failures} failed allocations, ${checkpoints} checkpoints${end}
${compared} values compared, ${mismatches} mismatches
${first ? mismatchText(first) : ''}`;
}

/** Adds a position to errors: the line of the trace, or the option that describes the table. */
function withPlace<T>(file: string, table: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof TraceError) throw new Refusal(`${file}:${error.line}: ${error.sentence}`);
    if (error instanceof EngineError) throw new Refusal(`${table}: ${error.message}`);
    throw error;
  }
}

async function compare(file: string, source: ByteSource, json: boolean): Promise<number> {
  const module = await inlineChecks();
  const started = performance.now();
  const report = withPlace(file, file, () => replayMaps(module, source));
  const seconds = (performance.now() - started) / 1000;
  const rate = Math.round(report.operations / Math.max(seconds, 1e-6));
  if (json) await writeJson({ file, ...report, operations_per_second: rate });
  else await write([reportText(file, report)]);
  return report.mismatches > 0 ? 1 : 0;
}

const asLines = (notes: readonly string[]) => notes.map((note) => `${note}\n`).join('');

function contractText(file: string, report: ContractReport): string {
  const { calls, most_mappings: most, shown, findings, oldest_lines: oldest } = report;
  const breaches = shown.map((finding) => `  ${breachText(finding)}\n`);
  const more = findings > shown.length ? `  and ${findings - shown.length} more\n` : '';
  const since =
    oldest.length === 1
      ? `, of line ${oldest[0]}`
      : oldest.length > 1
        ? `; the oldest are of lines ${oldest.join(', ')}`
        : '';
  const unseen = report.recording?.gap_count
    ? 'before the beginning, or where events were lost'
    : 'before the beginning';
  return `${file}: ${count(calls, 'call')}, at most ${count(most, 'mapping')} at a time
${count(findings, 'breach', 'breaches')} of the contract
${breaches.join('')}${more}${count(report.still_mapped, 'mapping')} left at the end${since}
${count(report.not_seen, 'unmap')} of mappings made ${unseen}
${asLines([...contractNotes(report, count), ...recordingNotes(report.recording, count)])}`;
}

async function checkContract(
  file: string,
  source: ByteSource,
  trace: boolean,
  json: boolean,
): Promise<number> {
  const report = withPlace(file, file, () => checkRecorded(source, trace));
  if (json) await writeJson({ file, ...report });
  else await write([contractText(file, report)]);
  return report.findings > 0 ? 1 : 0;
}

function tableText(pattern: Pattern, reports: readonly MapRunReport[]): string {
  const [{ operations, allocations } = { operations: 0, allocations: 0 }] = reports;
  const rows = [
    POLICY_COLUMNS.map(([title]) => title),
    ...reports.map((report) => POLICY_COLUMNS.map(([, cell]) => cell(report))),
  ];
  const widths = POLICY_COLUMNS.map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    row
      .map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)))
      .join('  ');
  return `${pattern.name}: ${operations} operations, ${allocations} of them allocations\n${rows.map(line).join('\n')}\n${asLines([...patternNotes(pattern, count), ...recordingNotes(pattern.notes(), count)])}`;
}

interface PolicyChoice {
  readonly policies: readonly MapPolicy[];
  readonly pools: number | undefined;
  readonly entries: number | undefined;
  readonly pageBytes: number;
}

/** Valid page sizes: powers of two; systems with smaller pages have no I/O page table. */
const PAGES = [1 << 12, 1 << 26] as const;

interface PolicyOptions {
  readonly policy?: readonly string[] | undefined;
  readonly pools?: string | undefined;
  readonly entries?: string | undefined;
  readonly page?: string | undefined;
}

function choiceFrom({ policy, pools, entries, page }: PolicyOptions): PolicyChoice {
  const pageBytes = number('page', page ?? DEFAULT_PAGE, 'bytes', PAGES);
  if (!Number.isInteger(Math.log2(pageBytes)))
    throw new Refusal(`--page: A page is a power of two of bytes; ${quote(page)} is not.`);
  const count = (option: string, text: string | undefined, most: number) =>
    text === undefined ? undefined : number(option, text, 'count', [1, most]);
  return {
    policies: policiesFrom(policy ?? ['all']),
    pools: count('pools', pools, MAX_POOLS),
    entries: count('entries', entries, MAX_ENTRIES),
    pageBytes,
  };
}

async function runPolicies(
  file: string,
  pattern: Pattern,
  choice: PolicyChoice,
  json: boolean,
): Promise<number> {
  const { policies } = choice;
  const geometry = geometryOf(pattern.init, choice);
  if (geometry.entries * policies.length > MAX_TOGETHER)
    throw new Refusal(
      `--policy: Tables of ${geometry.entries} entries are too large for ${policies.length} policies at once; --entries can be at most ${Math.floor(MAX_TOGETHER / policies.length)}.`,
    );
  const module = await inlineChecks();
  const own = choice.entries !== undefined || choice.pools !== undefined;
  const reports = withPlace(file, own ? '--entries, --pools' : `${file}:1`, () =>
    runPattern(module, pattern.steps, policies, geometry),
  );
  const { source, name } = pattern;
  const [operations, left_out] = [reports[0]?.operations ?? 0, pattern.leftOut()];
  const recording = pattern.notes();
  if (json)
    await writeJson({ file, source, name, operations, left_out, recording, policies: reports });
  else await write([tableText(pattern, reports)]);
  return 0;
}

export const replayMapsCommand = fileCommand(SPEC, async (values, file) => {
  const { json = false, check = false } = values;
  if (check && (values.policy || values.pools || values.entries || values.page))
    throw new Refusal(
      '--check checks the driver and cannot be combined with --policy, --pools, --entries or --page.',
    );
  const choice = choiceFrom(values);
  return withBytes(file, async (source, beginning) => {
    const trace = isTrace(beginning);
    if (check) return checkContract(file, source, trace, json);
    const alone = trace && !values.policy && TABLE.find((name) => values[name] !== undefined);
    if (alone)
      throw new Refusal(
        `--${alone} needs --policy: without it, a trace is compared in the table it was recorded with.`,
      );
    if (trace && !values.policy) return compare(file, source, json);
    const name = basename(file);
    const pattern = withPlace(file, file, () => readPattern(source, trace, choice.pageBytes, name));
    return runPolicies(file, pattern, choice, json);
  });
});
