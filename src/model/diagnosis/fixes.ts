/** What parameters could be set otherwise, and what programs could do otherwise, where either is to blame. */
import type { ParamName, ParamPath, PartName } from '../../engine/gen/names';
import type { CompiledPart } from '../scenario/compile';
import { settingOf } from '../scenario/param-rules';
import type { Assignment, Scenario } from '../scenario/scenario-types';
import type { Fix, Run } from './rule';
import type { TraceQuery } from './trace-query';

/** A parameter of each part of its type that is not as it would have to be; `{part}` in the title is the part's. */
export function changed(
  past: TraceQuery,
  path: ParamPath,
  wanted: string | boolean | number,
  title: string,
): Fix[] {
  const [type, param] = path.split('.') as [PartName, ParamName];
  return past.parts(type).flatMap((part) => {
    const value = settingOf(part, param);
    const stands = value === null || value === String(wanted);
    return stands
      ? []
      : [
          {
            title: title.replace('{part}', part.title),
            edits: { [`${part.name}.${param}`]: wanted },
          },
        ];
  });
}

/** An adapter that snoops also translates, so the services that map have to be of its kind. */
function snooping(past: TraceQuery): Fix[] {
  const adapters = changed(past, 'io_adapter.mode', 'coherent', 'Let {part} snoop');
  const services = changed(past, 'io_services.mode', 'coherent', '');
  const [first] = adapters;
  return first
    ? [
        {
          title: first.title,
          edits: Object.assign({}, ...[...adapters, ...services].map(({ edits }) => edits)),
        },
      ]
    : [];
}

/** What keeps devices and caches coherent, where it is switched off or broken. */
export const coherenceFixes = (
  past: TraceQuery,
  steps: readonly (readonly [ParamPath, string])[],
): Fix[] => [
  ...snooping(past),
  ...steps.flatMap(([path, title]) => changed(past, path, true, title)),
  ...broken(past),
];

/** Parts whose defect may be to blame. */
const DEFECTS: readonly ParamPath[] = [
  'io_services.fault',
  'io_adapter.fault',
  'memory_controller.fault',
  'snoop_cache.fault',
  'hsc_pci.fault',
];

export const broken = (past: TraceQuery): Fix[] =>
  DEFECTS.flatMap((path) => changed(past, path, 'none', 'Fix {part}: no defect'));

export const flushFixes = (past: TraceQuery): Fix[] => [
  ...changed(past, 'iommu_map.flush', 'each', 'Flush at each unmap'),
  ...broken(past),
];

/** What has a walk read the newest of an entry. */
export const tableWalkFixes = (past: TraceQuery): Fix[] => [
  ...changed(past, 'iommu_map.fault', 'none', 'Fix {part}: no defect'),
  ...changed(past, 'iommu_map.flush_entries', true, 'Flush entries that are stored'),
  ...changed(past, 'iommu.snoops', true, 'Let walks of {part} be snooped'),
];

/** All parameters of these names, or with names that end so, that stand otherwise: one change of them together. */
function together(
  parts: readonly CompiledPart[],
  wanted: Readonly<Record<string, string | boolean | number>>,
  title: string,
): Fix[] {
  const edits = parts.flatMap((part) =>
    Object.entries(wanted).flatMap(([ending, value]) =>
      part.params
        .map(({ spec }) => spec.name)
        .filter((name) => name.endsWith(ending) && settingOf(part, name) !== String(value))
        .map((name) => [`${part.name}.${name}`, value] as const),
    ),
  );
  return edits.length === 0 ? [] : [{ title, edits: Object.fromEntries(edits) }];
}

/** What a bridge holds back behind stores may overtake them. */
export const orderingFixes = (bridge: CompiledPart): Fix[] =>
  together(
    [bridge],
    { relaxed: true },
    `Relaxed ordering: data for reads overtake stores in ${bridge.title}`,
  );

/** A local bus adapter that has more of what a card goes on to read says "again" less often. */
export const prefetchFixes = (parts: readonly CompiledPart[]): Fix[] =>
  parts
    .filter(({ type }) => type.name === 'lba')
    .flatMap((part) =>
      together([part], { _depth: 3 }, `Let ${part.title} fetch three lines ahead`),
    );

/** A ring on which a frame is back before so much time has passed. */
export function shorterRing(past: TraceQuery, passed: number): Fix[] {
  return past.parts('ring').flatMap((ring) => {
    const latency = Number(settingOf(ring, 'node_latency'));
    const nodes = Math.floor(passed / latency);
    return nodes < 2
      ? []
      : [{ title: `A ring of ${nodes} nodes`, edits: { [`${ring.name}.nodes`]: nodes } }];
  });
}

/** What is in a cache is not fetched word by word over the bus; caches that do not snoop cannot keep what others write. */
export const cachingFixes = (past: TraceQuery): Fix[] =>
  together(
    past.parts('data_cache'),
    { uncached: '0 B', snoops: true },
    'Keep packets in caches, which snoop',
  );

/** Where fetching ahead goes on into a page that is not mapped. */
export const pageEndFixes = (past: TraceQuery): Fix[] =>
  (['lba.page_end', 'pcix_bridge.page_end'] satisfies ParamPath[]).flatMap((path) =>
    changed(past, path, true, 'End fetching of {part} with its page'),
  );

type Row = Assignment;

/** The programs in which a row becomes another; none if no row does. */
function instead(
  data: Scenario | undefined,
  title: string,
  change: (row: Row) => Row | null,
): readonly Fix[] {
  const changed = [...(data?.programs ?? [])].flatMap(([name, rows]) => {
    const now = rows.map(({ fields }) => change(fields) ?? fields);
    return now.some((row, at) => row !== rows[at]?.fields) ? [[name, now] as const] : [];
  });
  return changed.length === 0 ? [] : [{ title, edits: {}, programs: Object.fromEntries(changed) }];
}

/** One store of the processor touches nothing but its byte. */
export const storeBytes = ({ data }: Run): readonly Fix[] =>
  instead(data, 'Store the byte with the processor', ({ do: what, from, to }) =>
    what === 'dma_set_byte' && from !== undefined && to !== undefined
      ? { do: 'pio_write', from, to, bytes: 1, width: '1 B' }
      : null,
  );

/** Hints of a mapping: half lines are merged with the rest of their line, or written as they come; lines are not fetched ahead. */
const [SAFE, NO_PREFETCH, FAST, CONTIGUOUS] = [1, 4, 16, 32];
const MAPPING = new Set(['map', 'map_buffer', 'dma_in']);

/** The programs with the hints of their mappings changed; null leaves a mapping as it is. */
const hinted = (
  { data, machine: { variables } }: Run,
  title: string,
  change: (hints: number) => number | null,
): readonly Fix[] =>
  instead(data, title, (row) => {
    if (!MAPPING.has(String(row.do))) return null;
    const { count = 0 } = row;
    const name = typeof count === 'string' && count.startsWith('$') ? count.slice(1) : null;
    const now = Number(name === null ? count : variables[name]);
    // A count that follows the number of a processor has no single value to change.
    const hints = Number.isNaN(now) ? null : change(now);
    return hints === null ? null : { ...row, count: hints };
  });

/** A device's half line is merged with the other half where a buffer is mapped safe. */
export const mapForDirectionFix = (run: Run): readonly Fix[] =>
  hinted(run, 'Map buffers safe: half lines are merged', (hints) =>
    (hints & (FAST | CONTIGUOUS)) === 0 ? null : (hints & ~(FAST | CONTIGUOUS)) | SAFE,
  );

/** A line is asked for when the device asks for it, and by then its newest is known. */
export const withoutPrefetchFix = (run: Run): readonly Fix[] =>
  hinted(run, 'Map buffers without prefetch', (hints) =>
    (hints & NO_PREFETCH) === 0 ? hints | NO_PREFETCH : null,
  );
