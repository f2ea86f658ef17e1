import { expect, test } from 'vitest';
import { createLocalEngine } from '../../engine/inprocess';
import { compile } from '../scenario/compile';
import type { CompiledMachine } from '../scenario/compiled';
import { variablesAt } from '../scenario/experiment';
import { withPrograms } from '../scenario/program-overrides';
import type { Assignment, Scenario } from '../scenario/scenario-types';
import { readScenario } from '../scenario/scenarios';
import { createTrace, type Trace } from '../trace/trace';
import { diagnose, nearestDiagnosis } from './diagnose';
import type { Fix } from './fixes';

const engine = await createLocalEngine();

const AS_IT_IS = { edits: {} };

interface Ran {
  readonly machine: CompiledMachine;
  readonly data: Scenario;
  readonly trace: Trace;
}

async function runOf(
  id: string,
  at: Assignment,
  { edits, programs }: Pick<Fix, 'edits' | 'programs'>,
): Promise<Ran> {
  const read = await readScenario(id);
  if (!read.ok) throw new Error(read.problems[0]?.message);
  const changed = withPrograms(read.value, programs);
  if (!changed.ok) throw new Error(changed.problems[0]?.message);
  const data = changed.value;
  const variables = variablesAt(data, at);
  if (!variables.ok) throw new Error(variables.problems[0]?.message);
  const machine = compile(data, { variables: variables.value, edits, traceLog2: 18 });
  if (!machine.ok) throw new Error(machine.problems[0]?.message);
  await engine.open({ config: machine.value.config, commands: [] });
  const { seq } = await engine.run({ untilPs: machine.value.untilPs });
  const trace = createTrace(machine.value);
  for (let from = 1; from <= seq; ) {
    const { trace: chunk } = await engine.frame({
      views: [],
      trace: { fromSeq: from, max: 50_000 },
    });
    if (!chunk || chunk.length === 0) break;
    trace.append(chunk);
    from = chunk.firstSeq + chunk.length;
  }
  return { machine: machine.value, data, trace };
}

/** The events of a part's type by name, "io_adapter.stale". */
function eventsOf({ machine, trace }: Ran, kind: string): number[] {
  const all: number[] = [];
  for (let seq = trace.first; seq <= trace.last; seq++) {
    const part = machine.parts[trace.record(seq)?.part ?? -1];
    if (`${part?.type.name}.${trace.event(seq)?.name}` === kind) all.push(seq);
  }
  return all;
}

/** The last such event; of misses, the last one for an evicted translation. */
function lastOf(run: Ran, kind: string): number {
  const all = eventsOf(run, kind);
  const isOne = (seq: number) =>
    kind !== 'io_adapter.miss' || run.trace.record(seq)?.c !== 0xffffffff;
  return all.findLast(isOne) ?? expect.unreachable(`No ${kind} happens.`);
}

const faultsIn = (run: Ran): number =>
  ['io_adapter.fault', 'iommu.fault'].flatMap((kind) => eventsOf(run, kind)).length;

const goneIn = (run: Ran): number =>
  ['io_adapter.gone', 'iommu.gone'].flatMap((kind) => eventsOf(run, kind)).length;

test.each<[string, string, Assignment, RegExp, readonly string[]]>([
  [
    'io_adapter.stale',
    'hp/stale-outbound',
    {},
    /^Cache \d has held this line private dirty since [\d.]+ µs: write \d+ is there, and not in memory\..*does not snoop/,
    ['Let I/O adapter snoop', 'Fix I/O services: no defect'],
  ],
  [
    'io_adapter.stale',
    'start/old-data',
    {},
    /private dirty since.*does not snoop/,
    ['Let I/O adapter snoop', 'Flush before a device reads'],
  ],
  [
    'io_adapter.stale',
    'hp/prefetch-stale',
    {},
    /prefetched the line at [\d.]+ µs/,
    ['Map buffers without prefetch'],
  ],
  [
    'snoop_cache.stale',
    'hp/stale-inbound',
    {},
    /^Cache 1 has had its copy since [\d.]+ [nµ]s\. Disk made write \d+ to memory at [\d.]+ µs\..*invalidates no cache lines/,
    ['Let I/O adapter snoop', 'Purge once more after it wrote', 'Fix I/O services: no defect'],
  ],
  [
    'snoop_cache.neighbour',
    'hp/false-sharing',
    {},
    /^Cache 1 held the line private dirty since [\d.]+ [nµ]s: write 1 was nowhere else/,
    ['Map buffers safe: half lines are merged'],
  ],
  [
    'snoop_cache.neighbour',
    'hp/two-mappings',
    {},
    /^Cache 1 held the line private dirty since/,
    ['Map buffers safe: half lines are merged'],
  ],
  [
    'gt.lost',
    'gt/set-byte',
    {},
    /^The whole word was read by [\d.]+ µs, as write \d+ had left it\. At [\d.]+ µs another node's write \d+ arrived/,
    ['Store the byte with the processor'],
  ],
  [
    'processor.stale',
    'gt/read-back',
    {},
    /^GT card took write \d+ at [\d.]+ µs, .* at least 7\.2 µs: 16 nodes, 450 ns each\. The read came after 1\.58\d* µs\.$/,
    ['A ring of 3 nodes'],
  ],
  [
    'io_adapter.gone',
    'one/late-card',
    {},
    /^Services took the page back at [\d.]+ µs\. No purge followed/,
    ['Flush at each unmap'],
  ],
  [
    'iommu.stale',
    'pools/stale-translation',
    {},
    /^DMA mapping took the page back at [\d.]+ µs\. No purge followed/,
    ['Flush at each unmap'],
  ],
  ['iommu.gone', 'one/lazy-flush', {}, /took the page back/, ['Flush at each unmap']],
  [
    'memory.overwritten',
    'one/lazy-flush',
    {},
    /^The device used bus address 0x40000000, and IOMMU translated it to this address\..*took the page back.*The reader of write \d+ will get/,
    ['Flush at each unmap'],
  ],
  [
    'memory.given_away',
    'pools/stale-translation',
    {},
    /^The device used bus address 0x[0-9A-F]+, and IOMMU translated it to this address\..*The requested data is write \d+\./,
    ['Flush at each unmap'],
  ],
  [
    'lba.stale',
    'zx1/read-current',
    {},
    /^Local bus adapter has had this line since [\d.]+ [µm]s, and is not notified/,
    [],
  ],
  [
    'iommu.gone',
    'one/stale-entry',
    {},
    /^DMA mapping took the page back at [\d.]+ µs\. The translation was purged; at [\d.]+ µs IOMMU read the entry again/,
    ['Fix DMA mapping: no defect', 'Let walks of IOMMU be snooped'],
  ],
  [
    'iommu.old_entry',
    'one/stale-entry',
    {},
    /^Cache 0 has held this line of the table private dirty since [\d.]+ µs\. Walks of IOMMU are not snooped/,
    ['Fix DMA mapping: no defect', 'Let walks of IOMMU be snooped'],
  ],
  ['iommu.fault', 'pools/protection', {}, /^This address was never mapped/, []],
  [
    'io_adapter.miss',
    'hp/two-streams',
    {},
    /^Row \d+ was loaded with block \d+ at [\d.]+ µs for (LAN|Disk): this evicted/,
    ['Let HP-UX’s allocator place buffers, chain after chain'],
  ],
  [
    'iommu_map.contend',
    'pools/pools-or-scope',
    { pools: 1 },
    /^CPU \d+ has held the lock of pool 0 since/,
    ['Sixteen pools, each with its lock'],
  ],
])('%s in %s: cause and fixes', async (kind, id, at, who, fixes) => {
  const run = await runOf(id, at, AS_IT_IS);
  const before = eventsOf(run, kind).length;
  const found = diagnose(run, run.trace, lastOf(run, kind));
  expect(found?.sentences.join(' ').replaceAll(/[\u00a0\u202f]/g, ' ')).toMatch(who);
  expect(found?.fixes.map(({ title }) => title)).toEqual(fixes);
  for (const fix of found?.fixes ?? []) {
    const again = await runOf(id, at, fix);
    expect(eventsOf(again, kind).length, fix.title).toBeLessThan(before / 10);
    // Fixed, not merely stopped, except for accesses to memory that was freed.
    expect(faultsIn(again), fix.title).toBe(/^iommu_map/.test(kind) ? 0 : goneIn(run));
  }
});

test('a device read through an unpurged row is stale, and the row is the cause', async () => {
  const edits = { 'services.fault': 'tlb_not_purged' };
  const run = await runOf('hp/at-work', {}, { edits });
  const found = diagnose(run, run.trace, lastOf(run, 'io_adapter.stale'));
  expect(found?.sentences.join(' ').replaceAll(/[\u00a0\u202f]/g, ' ')).toMatch(
    /took the page back at [\d.]+ µs\. No purge followed: I\/O adapter still has the old translation\.$/,
  );
  expect(found?.fixes.map(({ title }) => title)).toEqual(['Fix I/O services: no defect']);
});

test('a device write through such a row is missing at its target, and the row is the cause', async () => {
  const edits = { 'services.fault': 'tlb_not_purged' };
  const run = await runOf('hp/at-work', {}, { edits });
  for (const kind of ['memory_controller.overwritten', 'snoop_cache.stale']) {
    const found = diagnose(run, run.trace, lastOf(run, kind));
    expect(found?.sentences.join(' ').replaceAll(/[\u00a0\u202f]/g, ' '), kind).toMatch(
      /The device used bus address 0x[0-9A-F]+, and I\/O adapter translated it to this address\..*took the page back at [\d.]+ µs\. No purge followed/,
    );
    expect(found?.fixes.map(({ title }) => title)).toEqual(['Fix I/O services: no defect']);
  }
  const fixed = await runOf('hp/at-work', {}, AS_IT_IS);
  expect(eventsOf(fixed, 'memory_controller.overwritten')).toEqual([]);
  expect(eventsOf(fixed, 'snoop_cache.stale')).toEqual([]);
});

test('a line that survives in a bridge is stale for the card, and the defect is the cause', async () => {
  const moved = (from: string, bytes: number) => ({
    do: 'dma_write',
    from,
    to: '0x80000000',
    bytes,
  });
  const programs = {
    work: [moved('0x100000', 32), { do: 'store', to: '0x100020', bytes: 4 }, moved('0x100020', 64)],
  };
  const run = await runOf(
    'one/lines-ahead',
    {},
    {
      edits: { 'bridge.fault': 'lines_survive' },
      programs,
    },
  );
  const found = diagnose(run, run.trace, lastOf(run, 'hsc_pci.stale'));
  expect(found?.sentences.join(' ').replaceAll(/[\u00a0\u202f]/g, ' ')).toMatch(
    /^PCI bridge has had this line since [\d.]+ µs, and is not notified/,
  );
  expect(found?.fixes.map(({ title }) => title)).toEqual(['Fix PCI bridge: no defect']);
  const fixed = await runOf('one/lines-ahead', {}, { edits: {}, programs });
  expect(eventsOf(fixed, 'hsc_pci.stale')).toEqual([]);
});

test.each<[string, string, RegExp]>([
  [
    'processor.state',
    'gt/pio-during-dma',
    /^Host bridge: posted writes waiting since [\d.]+ µs\. PCI bus: memory write since [\d.]+ µs, for GT card\.$/,
  ],
  ['dma_device.state', 'hp/two-streams', /^HSC: write since [\d.]+ µs, for Disk\.$/],
  [
    'hsc.full',
    'hp/two-streams',
    /^All slots of I\/O adapter are taken.*TLB miss: reading the page directory since [\d.]+ µs/,
  ],
  [
    'memory_bus.waits',
    'soc/bus',
    /^Memory bus: read at 0x[0-9A-F]+ for I\/O cache\. It has had the bus since/,
  ],
  ['kernel.wait', 'soc/inversion', /^Thread \d of CPU 0 has had lock \d since [\d.]+ [µm]s\.$/],
  ['tcpip.held', 'soc/out-of-order', /packet \d+/i],
  [
    'net_driver.full',
    'pools/another-cpu',
    /has sent 1 448 B of queue 4\. Packets of this queue were last reclaimed at [\d.]+ µs, by CPU \d\.$/,
  ],
  ['pci.retried', 'zx1/ordering', /^Local bus adapter: fetching for a read since/],
  ['iommu.held_up', 'one/walk', /walks the table.*It has been in progress since/],
])('%s in %s: the holder of the awaited resource', async (kind, id, who) => {
  const run = await runOf(id, {}, AS_IT_IS);
  const diagnoses = eventsOf(run, kind).flatMap((seq) => {
    const found = diagnose(run, run.trace, seq);
    return found ? [found.sentences.join(' ').replaceAll(/[\u00a0\u202f]/g, ' ')] : [];
  });
  expect(diagnoses.find((one) => who.test(one)) ?? diagnoses[0]).toMatch(who);
});

test('a lock wait is shorter with priority inheritance', async () => {
  const inverted = await runOf('soc/inversion', {}, AS_IT_IS);
  const fixes = eventsOf(inverted, 'kernel.wait').flatMap(
    (seq) => diagnose(inverted, inverted.trace, seq)?.fixes ?? [],
  );
  const longest = (run: Ran): number =>
    Math.max(
      ...eventsOf(run, 'kernel.wait').map((seq) => {
        const given = eventsOf(run, 'kernel.lock').find((one) => one > seq) ?? seq;
        return (run.trace.record(given)?.timePs ?? 0) - (run.trace.record(seq)?.timePs ?? 0);
      }),
    );
  const after = longest(await runOf('soc/inversion', {}, fixes[0] ?? expect.unreachable()));
  expect(after).toBeGreaterThan(0);
  expect(after).toBeLessThan(longest(inverted) / 5);
});

/** The fixes of the last event of a kind that has any. */
const fixesOf = (run: Ran, kind: string): readonly Fix[] => {
  for (const seq of eventsOf(run, kind).reverse()) {
    const { fixes = [] } = diagnose(run, run.trace, seq) ?? {};
    if (fixes.length > 0) return fixes;
  }
  return [];
};

const titled = (fixes: readonly Fix[], title: string): Fix =>
  fixes.find((one) => one.title === title) ?? expect.unreachable(title);

test.each<[string, string, string, number]>([
  ['memory_bus.waits', 'soc/bus', 'Keep packets in caches, which snoop', 0.3],
  ['memory_bus.waits', 'soc/copy-or-pointer', 'Keep packets in caches, which snoop', 0.1],
  ['kernel.full', 'soc/packet-size', 'Give queues 64 places', 0],
  ['hsc.full', 'hp/miss-rate', 'Let I/O adapter hold eight requests', 0.01],
  ['hsc.full', 'one/two-cards', 'Let I/O adapter hold eight requests', 0],
  ['pci.retried', 'zx1/slow-reads', 'Let Local bus adapter fetch three lines ahead', 0.3],
  [
    'lba.behind',
    'zx1/bridged',
    'Relaxed ordering: data for reads overtake stores in Local bus adapter',
    0,
  ],
  [
    'pcix_bridge.behind',
    'zx1/bridged',
    'Relaxed ordering: data for reads overtake stores in PCI-X bridge',
    0,
  ],
  ['iommu.fault', 'zx1/page-end', 'End fetching of Local bus adapter with its page', 0],
  ['tcpip.held', 'soc/out-of-order', 'Let packets arrive in the order in which they were sent', 0],
  ['net_driver.full', 'pools/another-cpu', 'Reclaim packets on the CPU that sent them', 0.5],
])(
  'the condition of %s in %s is less frequent with the fix: %s',
  async (kind, id, title, share) => {
    const run = await runOf(id, {}, AS_IT_IS);
    const before = eventsOf(run, kind).length;
    expect(before).toBeGreaterThan(0);
    const after = eventsOf(await runOf(id, {}, titled(fixesOf(run, kind), title)), kind).length;
    expect(after / before).toBeLessThanOrEqual(share);
  },
);

/** Average duration of the events of a kind, from each record to the one that ends it. */
const meanOf = (run: Ran, kind: string, lasts: (run: Ran, seq: number) => number): number => {
  const all = eventsOf(run, kind).map((seq) => lasts(run, seq));
  return all.reduce((sum, one) => sum + one, 0) / all.length;
};

test('a walk that delays others is shorter with a one-level table', async () => {
  const run = await runOf('one/walk', {}, AS_IT_IS);
  const length = (one: Ran) =>
    meanOf(one, 'iommu.walked', ({ trace }, seq) => trace.record(seq)?.a ?? 0);
  const fix = titled(fixesOf(run, 'iommu.held_up'), 'A table of one level: a walk is one read');
  expect(length(run)).toBeGreaterThan(0);
  expect(length(await runOf('one/walk', {}, fix))).toBeLessThan(0.6 * length(run));
});

test('a fault at the root of a chain is the cause, a wait only if it is near', async () => {
  const run = await runOf('hp/stale-outbound', {}, AS_IT_IS);
  const stale = lastOf(run, 'io_adapter.stale');
  const other = Array.from({ length: 5 }, (_, at) => run.trace.first + at);
  expect(nearestDiagnosis(run, run.trace, [...other, stale])?.seq).toBe(stale);
  const two = await runOf('hp/two-streams', {}, AS_IT_IS);
  const wait = lastOf(two, 'hsc.full');
  expect(nearestDiagnosis(two, two.trace, [two.trace.first, wait])?.seq).toBe(wait);
  expect(nearestDiagnosis(two, two.trace, [1, 2, 3, wait])).toBeNull();
});

test('an ordinary event has no diagnosis', async () => {
  const run = await runOf('start/bus', {}, AS_IT_IS);
  for (let seq = run.trace.first; seq <= run.trace.last; seq++)
    expect(diagnose(run, run.trace, seq)).toBeNull();
});
