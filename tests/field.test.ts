/**
 * Recordings of real systems: the violations found, the notes given, and no false findings. See data/field/README.md.
 */
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { type ContractReport, checkRecorded } from '../src/model/pools/map-contract';
import type { PatternStep } from '../src/model/pools/map-owners';
import { readPattern } from '../src/model/pools/map-pattern';
import { sourceOf } from '../src/model/pools/map-trace';
import { openRecording } from '../src/model/pools/recording-bytes';
import { busyard, file } from './support/command-line';

const at = (name: string) => `tests/data/field/${name}`;
const bytesOf = (name: string) => new Uint8Array(readFileSync(at(name)));
const encoded = (text: string) => new TextEncoder().encode(text);

const checked = (bytes: Uint8Array): ContractReport =>
  checkRecorded(openRecording(sourceOf(bytes)).source, false);
const steps = (bytes: Uint8Array): PatternStep[] => [
  ...readPattern(openRecording(sourceOf(bytes)).source, false, 4096, 'test').steps,
];
const sizes = (bytes: Uint8Array) => steps(bytes).map(({ kind, pages }) => `${kind} ${pages}`);

const range = (from: number, size: number) =>
  `iova=0x${from.toString(16)} - 0x${(from + size).toString(16)}`;
const map = (from: number, size = 4096, cpu = 0) =>
  ` x-1 [${String(cpu).padStart(3, '0')}] ..... 1.0: map: IOMMU: ${range(from, size)} paddr=0x1000 size=${size}\n`;
const unmap = (from: number, size = 4096, cpu = 0, removed = size) =>
  ` x-1 [${String(cpu).padStart(3, '0')}] ..... 1.0: unmap: IOMMU: ${range(from, size)} size=${size} unmapped_size=${removed}\n`;
const call = (name: string, rest: string, device = '0000:01:00.0') =>
  ` x-1 [000] ..... 1.0: ${name}: ${device} ${rest}\n`;
const lost = (cpu: number) => `CPU:${cpu} [LOST 7 EVENTS]\n`;
const joined = (...lines: string[]) => encoded(lines.join(''));

describe('the extent of a mapping', () => {
  test.each([
    ['a1_two_neighbours.txt', 2, 4],
    ['t16_ascending_pages.txt', 16, 32],
    ['t12_interleaved_sg.txt', 2, 4],
    ['t12_not_interleaved_sg.txt', 2, 4],
  ])('%s: %i mappings in %i operations', (name, mappings, operations) => {
    const found = steps(bytesOf(name));
    expect(found.filter(({ kind }) => kind === 'take')).toHaveLength(mappings);
    expect(found).toHaveLength(operations);
  });

  test('is determined by its unmap, also for several neighbours', () => {
    const text = joined(
      ...[map(0x1000), map(0x2000), map(0x3000), map(0x4000)],
      ...[unmap(0x1000, 8192), unmap(0x4000), unmap(0x3000)],
    );
    expect(sizes(text)).toEqual(['take 2', 'take 1', 'take 1', 'give 2', 'give 1', 'give 1']);
  });

  test('is limited to one CPU: mappings of two CPUs stay separate, although unmapped as one', () => {
    const text = joined(map(0x1000, 4096, 0), map(0x2000, 4096, 1), unmap(0x1000, 8192));
    expect(sizes(text)).toEqual(['take 1', 'take 1', 'give 1', 'give 1']);
  });

  test('stays separate while it is not unmapped', () => {
    expect(sizes(joined(map(0x1000), map(0x2000)))).toEqual(['take 1', 'take 1']);
  });

  test('comes from calls of the DMA interface where there are no events of the page table', () => {
    const text = joined(
      call(
        'dma_map_sg',
        'dir=TO_DEVICE nents=3/3 ents=3/3 dma_addrs={0x1000,0x2000,0x9000} sizes={0x1000,0x1000,0x200} phys_addrs={0x70000,0x80000,0x90000} attrs=',
      ),
      call('dma_map_phys', 'dir=TO_DEVICE dma_addr=4080 size=256 phys_addr=10b4e5000 attrs='),
      call('dma_unmap_phys', 'dir=TO_DEVICE dma_addr=4080 size=256 attrs='),
      call('dma_unmap_sg', 'dir=TO_DEVICE phys_addrs={0x70000,0x80000,0x90000} attrs='),
    );
    expect(sizes(text)).toEqual(['take 2', 'take 1', 'take 1', 'give 1', 'give 2', 'give 1']);
  });
});

describe('violations', () => {
  test.each([
    ['a4_double_as_kernels_log_it.txt', [['double_unmap', 3, 2]]],
    ['a2_hidden_double.txt', [['double_unmap', 4, 3]]],
    ['t7_partial.txt', [['nothing_unmapped', 4, 0]]],
    ['t1_fault_after_unmap.txt', [['after_unmap', 17, 16]]],
    [
      'a6_dma_sizes.txt',
      [
        ['wrong_direction', 4, 1],
        ['wrong_size', 4, 1],
      ],
    ],
  ] as const)('%s', async (name, expected) => {
    const { shown, findings } = checked(bytesOf(name));
    expect(shown.map((one) => [one.finding, one.line, one.first_line])).toEqual(expected);
    expect(findings).toBe(expected.length);
    const { code, out } = await busyard('replay-maps', at(name), '--check');
    expect(code).toBe(1);
    for (const [, line, first] of expected) {
      expect(out).toContain(`line ${line}`);
      if (first) expect(out).toContain(`line ${first}`);
    }
  });

  test('of calls name the device', async () => {
    expect(checked(bytesOf('a6_dma_sizes.txt')).shown[0]).toMatchObject({ device: '0000:01:00.0' });
  });

  test.each([
    ['dma_unmap_page', 'dma_map_page', 'dir=TO_DEVICE dma_addr=1040 size=64 phys_addr=1 attrs='],
    [
      'dma_unmap_resource',
      'dma_map_resource',
      'dir=BIDIRECTIONAL dma_addr=1000 size=64 phys_addr=1 attrs=',
    ],
    [
      'dma_free',
      'dma_alloc',
      'dir=NONE dma_addr=1000 size=64 virt_addr=00000000f00d flags=GFP_KERNEL attrs=',
    ],
    [
      'dma_unmap_sg',
      'dma_map_sg',
      'dir=TO_DEVICE dma_addrs={0x1000} sizes={0x40} phys_addrs={0x1000} attrs=',
    ],
  ])('%s twice', (undo, make, rest) => {
    const twice = joined(call(make, rest), call(undo, rest), call(undo, rest));
    expect(checked(twice).shown).toMatchObject([
      { finding: 'double_unmap', line: 3, first_line: 2 },
    ]);
    const once = joined(call(make, rest), call(undo, rest), call(make, rest), call(undo, rest));
    expect(checked(once)).toMatchObject({ findings: 0, still_mapped: 0, not_seen: 0 });
    const other = joined(call(make, rest), call(undo, rest), call(undo, rest, '0000:02:00.0'));
    expect(checked(other)).toMatchObject({ findings: 0, not_seen: 1 });
  });

  test('by a call that unmaps from the middle of a mapping on', () => {
    const text = joined(
      call('dma_map_page', 'dir=TO_DEVICE dma_addr=1000 size=4096 phys_addr=1 attrs='),
      call('dma_unmap_page', 'dir=TO_DEVICE dma_addr=1040 size=64 attrs='),
    );
    expect(checked(text).shown).toMatchObject([
      { finding: 'unknown_address', line: 2, first_line: 1 },
    ]);
  });

  test('by a device that uses an unmapped address', () => {
    const fault =
      ' y-1 [000] ..... 2.0: io_page_fault: IOMMU:wifi 0000:01:00.0 iova=0x0000000000001010 flags=0x0001\n';
    const rest = 'dir=TO_DEVICE dma_addr=1000 size=64 phys_addr=1 attrs=';
    const text = joined(call('dma_map_page', rest), call('dma_unmap_page', rest), fault);
    expect(checked(text).shown).toMatchObject([{ finding: 'after_unmap', line: 3, first_line: 2 }]);
    const live = joined(
      call('dma_map_page', rest),
      call('dma_unmap_page', rest),
      call('dma_map_page', rest),
      fault,
    );
    expect(checked(live)).toMatchObject({ findings: 0, other_faults: { count: 1 } });
  });
});

describe('reports that are not violations', () => {
  test.each([
    ['a5_short_unmap.txt', 'short_unmaps', [2, 0], '1 unmap removed less than asked, at line 2'],
    ['t10_maptwice.txt', 'mapped_again', [2, 1], 'there is more than one domain, or a breach'],
    ['t11_two_domains_sizes.txt', 'mapped_again', [2, 1], 'there is more than one domain'],
    ['t3_two_domains.txt', 'mapped_again', [4, 2], '2 devices were attached to domains'],
  ] as const)('%s: %s', async (name, kind, lines, sentence) => {
    const report = checked(bytesOf(name));
    expect(report).toMatchObject({ findings: 0, not_seen: 0, partial_unmaps: { count: 0 } });
    expect(report[kind]).toEqual({ count: 1, lines: [lines] });
    const { code, out } = await busyard('replay-maps', at(name), '--check');
    expect(code).toBe(0);
    expect(out).toContain(sentence);
  });

  test('two domains each unmap their own, in either order', () => {
    const two = [map(0x0, 0x200000, 1), map(0x0, 4096, 2)];
    for (const back of [
      [unmap(0x0, 0x200000, 3), unmap(0x0, 4096, 3)],
      [unmap(0x0, 4096, 3), unmap(0x0, 0x200000, 3)],
    ])
      expect(checked(joined(...two, ...back))).toMatchObject({
        findings: 0,
        still_mapped: 0,
        partial_unmaps: { count: 0 },
      });
  });

  test('devices named by the events have separate tables', () => {
    const event = (dev: string, rest: string) =>
      ` x-1 [000] .... 1.0: ${rest.includes('unmapped') ? 'unmap' : 'map'}: IOMMU: dev=${dev} iova=0x1000 ${rest}\n`;
    const [on, off] = ['paddr=0x1000 size=4096', 'size=4096 unmapped_size=4096'];
    const sound = joined(event('a', on), event('b', on), event('a', off), event('b', off));
    expect(checked(sound)).toMatchObject({ findings: 0, mapped_again: { count: 0 } });
    const twice = joined(event('a', on), event('b', on), event('a', off), event('a', off));
    expect(checked(twice).shown).toMatchObject([
      { finding: 'double_unmap', line: 4, first_line: 3, device: 'a' },
    ]);
  });
});

describe('lost events', () => {
  test('t4_lost.txt: there are no findings across the gap, and the gap is reported', async () => {
    const report = checked(bytesOf('t4_lost.txt'));
    expect(report).toMatchObject({ findings: 0, not_seen: 1 });
    expect(report.recording?.gaps).toEqual([{ line: 3, events: 1042 }]);
    const { code, out } = await busyard('replay-maps', at('t4_lost.txt'), '--check');
    expect(code).toBe(0);
    expect(out).toContain('events were lost: 1042 at line 3');
    const pattern = await busyard('replay-maps', at('t4_lost.txt'), '--policy', 'pools');
    expect(pattern.out).toContain('events were lost: 1042 at line 3');
  });

  test('are placed between the last event of their CPU and the notice, which can follow another CPU', () => {
    const before = [map(0x1000, 4096, 0), unmap(0x1000, 4096, 0)];
    const again = unmap(0x1000, 4096, 1);
    expect(checked(joined(...before, again)).findings).toBe(1);
    const doubtful = checked(joined(...before, again, lost(0), map(0x9000, 4096, 0)));
    expect(doubtful).toMatchObject({ findings: 0, across_gaps: 1 });
    const certain = joined(...before, again, map(0x9000, 4096, 0), lost(0));
    expect(checked(certain)).toMatchObject({ findings: 1, across_gaps: 0 });
  });

  test('may include the unmap of a page that is mapped again', () => {
    const report = checked(joined(map(0x1000), lost(0), map(0x1000), unmap(0x1000)));
    expect(report).toMatchObject({ findings: 0, mapped_again: { count: 0 }, still_mapped: 0 });
  });

  test("do not excuse the kernel's own reports, nor later events", () => {
    expect(checked(joined(map(0x1000), lost(0), unmap(0x1000, 4096, 0, 0))).findings).toBe(1);
    const after = joined(lost(0), map(0x1000), unmap(0x1000), unmap(0x1000));
    expect(checked(after).shown).toMatchObject([{ line: 4, first_line: 3 }]);
  });

  test.each([
    ['CPU:2 [9 EVENTS DROPPED]', 9],
    ['CPU:2 [LOST EVENTS]', null],
    [' x 1 [002] 1.0: PERF_RECORD_LOST lost 12', 12],
  ])('%s', (notice, events) => {
    const { recording } = checked(joined(map(0x1000), `${notice}\n`));
    expect(recording).toMatchObject({ gaps: [{ line: 2, events }], unreadable_lines: 0 });
  });
});

test('ten thousand current mappings of 2 MiB, and of 1 TiB, are all tracked', () => {
  for (const size of [2 ** 21, 2 ** 40]) {
    const all = 10_000;
    const maps = Array.from({ length: all }, (_, i) => map(i * size, size, 1));
    const report = checked(joined(...maps, unmap((all - 1) * size, size, 1)));
    expect(report).toMatchObject({
      most_mappings: all,
      not_followed: 0,
      not_seen: 0,
      still_mapped: all - 1,
    });
  }
});

describe('formats', () => {
  test.each([
    ['t2_dev_field.txt', 2],
    ['t5_dma_events.txt', 2],
    ['a6_dma_sizes.txt', 4],
    ['t6_perf.txt', 2],
    ['t6_tracecmd.txt', 2],
    ['t6_tracecmd.txt.gz', 2],
    ['t20_high_iova.txt', 2],
  ])('%s is read', (name, calls) => {
    const report = checked(bytesOf(name));
    expect(report).toMatchObject({ calls, still_mapped: 0, not_seen: 0 });
    expect(report.recording).toMatchObject({ unreadable_lines: 0, without_cpu: 0 });
  });

  test('the latency format has the same CPUs', () => {
    expect(steps(bytesOf('t14_latency_format.txt'))).toEqual(steps(bytesOf('t14_normal.txt')));
    expect(new Set(steps(bytesOf('t14_normal.txt')).map(({ cpu }) => cpu)).size).toBe(4);
  });

  test('a missing CPU is reported', async () => {
    for (const options of [['--check'], ['--policy', 'pools']]) {
      const { out } = await busyard('replay-maps', at('t14_perf_nocpu.txt'), ...options);
      expect(out).toContain('64 events without a CPU counted for CPU 0');
      expect((await busyard('replay-maps', at('t14_normal.txt'), ...options)).out).not.toContain(
        'CPU',
      );
    }
  });

  const packed = (...head: number[]) => Uint8Array.from([...head, ...new Uint8Array(64)]);
  const text = (name: string) => readFileSync(at(name));
  test.each<[string, Uint8Array, RegExp]>([
    [
      'a binary file of trace-cmd',
      encoded('\x17\x08Dtracing7\0\0'),
      /binary file of trace-cmd\. Run "trace-cmd report"/,
    ],
    [
      'the same, its words the other way',
      encoded('tracing\x17\x08Dtracing7\0\0'),
      /Run "trace-cmd report"/,
    ],
    ['a binary file of perf', encoded('PERFILE2\0\0'), /binary file of perf\. Run "perf script"/],
    ['UTF-16', text('t19_utf16.txt'), /UTF-16 text\. Convert it to UTF-8/],
    [
      'UTF-16 without a mark',
      text('t19_utf16.txt').subarray(2),
      /UTF-16 text\. Convert it to UTF-8/,
    ],
    ['xz', packed(0xfd, 0x37, 0x7a, 0x58, 0x5a, 0), /compressed with xz/],
    ['zstd', packed(0x28, 0xb5, 0x2f, 0xfd), /compressed with zstd/],
    [
      'gzip that is cut off',
      text('t6_tracecmd.txt.gz').subarray(0, 100),
      /compressed with gzip, and damaged or cut off/,
    ],
    ['wrapped lines', text('t9_wrapped.txt'), /:1: The lines are wrapped/],
    ['dmesg', text('t8_dmesg.txt'), /:1: This is the kernel's log \(dmesg\)/],
    ['raw', text('t6_raw.txt'), /:2: Events are printed raw here/],
    [
      'other events',
      encoded(' x-1 [000] d... 1.0: sched_wakeup: comm=x\n'),
      /none of iommu or dma/,
    ],
  ])('%s is called by its name, with what to do', async (name, bytes, sentence) => {
    const path = file(name.replaceAll(/\W/g, '-'), bytes);
    for (const options of [['--check'], ['--policy', 'pools']]) {
      const { code, err } = await busyard('replay-maps', path, ...options);
      expect(err).toMatch(sentence);
      expect(code).toBe(2);
    }
  });

  test('unreadable lines are counted and reported', async () => {
    const path = file(
      'some.txt',
      joined(
        map(0x1000),
        'what is this\n',
        ' x-1 [000] .... 1.0: map: IOMMU: iova=0x\n',
        '# no event\n',
        unmap(0x1000),
      ),
    );
    for (const options of [['--check'], ['--policy', 'pools']])
      expect((await busyard('replay-maps', path, ...options)).out).toContain(
        '2 lines could not be read, the first is line 2',
      );
  });

  test('a gzip file can contain any recording: of an allocator, of references, of several members', async () => {
    const trace = readFileSync('tests/data/maps/t03_np4_spill.jsonl');
    const half = trace.indexOf('\n', trace.length / 2);
    const members = [trace.subarray(0, half), trace.subarray(half)].map((part) => gzipSync(part));
    const { code, out } = await busyard('replay-maps', file('t.jsonl.gz', Buffer.concat(members)));
    expect(code).toBe(0);
    expect(out).toContain(' 0 mismatches');
    const refs = await busyard('replay-refs', file('refs.gz', gzipSync('0 1000\n1 1004\n')));
    expect(refs.out).toContain('2 references');
  });

  test('a column of sizes in a din trace is not silently taken for processors', async () => {
    const replayed = await busyard('replay-refs', at('r2_din_size.txt'), '--cpus', '8');
    expect(replayed.out).toContain('read as the processor, and only processor 4 has references');
    const refused = await busyard('replay-refs', at('r2_din_size.txt'));
    expect(refused.err).toContain(':1:8: there is no processor 4');
    expect(refused.err).toContain('if this column is a size, remove it.');
    const fine = await busyard(
      'replay-refs',
      file('cpus.din', '0 1000 1\n1 1000 0\n'),
      '--cpus',
      '8',
    );
    expect(fine.out).not.toContain('column');
  });
});
