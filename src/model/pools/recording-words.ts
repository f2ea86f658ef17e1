/** What a replay of a recording found, in words: for the command line and the page. */
import type { RecordingNotes } from './ftrace';
import type { ContractFinding, ContractReport } from './map-contract';
import type { Pattern } from './map-pattern';
import type { MapRunReport } from './map-run';

/** "1 call", "2 calls", in the digits of the reader. */
type Counting = (amount: number, one: string, many?: string) => string;

const BREACH_TEXTS: Readonly<
  Record<ContractFinding['finding'], (address: string, line: number, first: number) => string>
> = {
  double_unmap: (address, line, first) =>
    `${address} is unmapped at line ${line}, and was already unmapped at line ${first}`,
  unknown_address: (address, line, first) =>
    `${address}, unmapped at line ${line}, lies inside what was mapped at line ${first}`,
  nothing_unmapped: (address, line) =>
    `${address} is unmapped at line ${line}, where the kernel found nothing mapped`,
  after_unmap: (address, line, first) =>
    `${address} is accessed by the device at line ${line} (io_page_fault), and was unmapped at line ${first}`,
  wrong_direction: (address, line, first) =>
    `${address}, mapped at line ${first}, is unmapped with another direction at line ${line}`,
  wrong_size: (address, line, first) =>
    `${address}, mapped at line ${first}, is unmapped with another size at line ${line}`,
};

/** Findings that are not breaches or cannot be decided, one line each; empty groups are left out. */
export function contractNotes(report: ContractReport, count: Counting): string[] {
  const { short_unmaps: short, partial_unmaps: partial, other_faults: faults } = report;
  const { mapped_again: again, recording } = report;
  const at = ({ lines, count }: typeof short) => {
    const places = lines.map(([line, first]) => (first ? `${line} (of line ${first})` : `${line}`));
    return `line${count === 1 ? '' : 's'} ${places.join(', ')}${count > lines.length ? ' ...' : ''}`;
  };
  const devices = recording?.attached_devices ?? 0;
  const domains =
    devices > 1
      ? `${devices} devices were attached to domains, so there is probably more than one domain`
      : 'there is more than one domain, or a breach; record the events of one device to find out';
  return [
    ...(again.count
      ? [
          `${count(again.count, 'live address', 'live addresses')} mapped again at ${at(again)}: ${domains}`,
        ]
      : []),
    ...(short.count
      ? [`${count(short.count, 'unmap')} removed less than asked, at ${at(short)}`]
      : []),
    ...(partial.count
      ? [`${count(partial.count, 'mapping')} unmapped in parts, at ${at(partial)}`]
      : []),
    ...(faults.count
      ? [
          `${count(faults.count, 'io_page_fault')} at addresses that are mapped, or not in the recording, at ${at(faults)}`,
        ]
      : []),
    ...(report.across_gaps
      ? [
          `${count(report.across_gaps, 'possible breach', 'possible breaches')} not counted, as events were lost in between`,
        ]
      : []),
    ...(report.not_followed
      ? [`${count(report.not_followed, 'mapping')} not followed: there was no room`]
      : []),
  ];
}

/** What of a recording its pattern lacks. */
export function patternNotes(
  { limited, leftOut }: Pick<Pattern, 'limited' | 'leftOut'>,
  count: Counting,
): string[] {
  const [requests, releases] = [limited(), leftOut()];
  return [
    ...(requests
      ? [
          `${count(requests, 'request')} had a mask or an alignment; here they may get any entries, so other policies can find room that the recorded one did not have`,
        ]
      : []),
    ...(releases
      ? [`${count(releases, 'release')} left out: what they release was taken before the recording`]
      : []),
  ];
}

/** Lines of an ftrace recording that are not events, and gaps in it. */
export function recordingNotes(notes: RecordingNotes | null, count: Counting): string[] {
  if (!notes) return [];
  const { unreadable_lines: unreadable, without_cpu: cpu, gaps, gap_count: gapCount } = notes;
  const lost = gaps.map(({ line, events }) => `${events ?? 'unknown'} at line ${line}`);
  return [
    ...(gapCount
      ? [`events were lost: ${lost.join(', ')}${gapCount > gaps.length ? ' ...' : ''}`]
      : []),
    ...(unreadable
      ? [
          `${count(unreadable, 'line')} could not be read, the first is line ${notes.first_unreadable_line}`,
        ]
      : []),
    ...(cpu
      ? [
          `${count(cpu, 'event')} without a CPU counted for CPU 0; "perf script -F +cpu" writes the CPU`,
        ]
      : []),
  ];
}

/** A breach of the contract, with its lines. */
export function breachText({
  finding,
  line,
  address,
  first_line: first,
  device,
  detail,
}: ContractFinding): string {
  const about = [device, detail].filter((one) => one !== undefined);
  const more = about.length > 0 ? ` (${about.join(', ')})` : '';
  return `${BREACH_TEXTS[finding](address, line, first)}${more}`;
}

/** Columns of the table of policies. */
export const POLICY_COLUMNS: readonly (readonly [string, (report: MapRunReport) => string])[] = [
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
