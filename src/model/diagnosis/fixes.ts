/** Suggested fixes: changes of parameters or programs. */
import type { ParamName, ParamPath, PartName } from '../../engine/gen/names';
import { type CompiledMachine, type CompiledPart, settingOf } from '../scenario/compiled';
import { allPrograms } from '../scenario/program-overrides';
import type { Assignment, Programs, Scenario } from '../scenario/scenario-types';
import type { TraceQuery } from './trace-query';

/** A change to try. */
export interface Fix {
  readonly title: string;
  readonly edits: Assignment;
  /** Programs that replace others. */
  readonly programs?: Programs;
}

/** A run whose machine and programs fixes can change. */
export interface FixableRun {
  readonly machine: CompiledMachine;
  /** Without it no program is changed. */
  readonly data?: Scenario;
}

/** Sets a parameter in each part of its type that has another value; `{part}` in the title is the part's title. */
export function changed(
  past: TraceQuery,
  path: ParamPath,
  required: string | boolean | number,
  title: string,
): Fix[] {
  const [type, param] = path.split('.') as [PartName, ParamName];
  return past.parts(type).flatMap((part) => {
    const value = settingOf(part, param);
    const stands = value === null || value === String(required);
    return stands
      ? []
      : [
          {
            title: title.replace('{part}', part.title),
            edits: { [`${part.name}.${param}`]: required },
          },
        ];
  });
}

/** An adapter that snoops also translates, so the mapping services must use the same mode. */
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

/** Settings that keep devices and caches coherent, where they are off or have a defect. */
export const coherenceFixes = (
  past: TraceQuery,
  steps: readonly (readonly [ParamPath, string])[],
): Fix[] => [
  ...snooping(past),
  ...steps.flatMap(([path, title]) => changed(past, path, true, title)),
  ...broken(past),
];

/** Defects that a fix can switch off. */
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

/** Settings that let a walk read the newest version of an entry. */
export const tableWalkFixes = (past: TraceQuery): Fix[] => [
  ...changed(past, 'iommu_map.fault', 'none', 'Fix {part}: no defect'),
  ...changed(past, 'iommu_map.flush_entries', true, 'Flush entries that are stored'),
  ...changed(past, 'iommu.snoops', true, 'Let walks of {part} be snooped'),
];

/** Sets all parameters with these names or suffixes that have another value, as one change. */
function together(
  parts: readonly CompiledPart[],
  required: Readonly<Record<string, string | boolean | number>>,
  title: string,
): Fix[] {
  const edits = parts.flatMap((part) =>
    Object.entries(required).flatMap(([ending, value]) =>
      part.params
        .map(({ spec }) => spec.name)
        .filter((name) => name.endsWith(ending) && settingOf(part, name) !== String(value))
        .map((name) => [`${part.name}.${name}`, value] as const),
    ),
  );
  return edits.length === 0 ? [] : [{ title, edits: Object.fromEntries(edits) }];
}

/** Allows transactions to pass stores in a bridge. */
export const orderingFixes = (bridge: CompiledPart): Fix[] =>
  together(
    [bridge],
    { relaxed: true },
    `Relaxed ordering: data for reads overtake stores in ${bridge.title}`,
  );

/** A local bus adapter that prefetches more of a card's read retries less often. */
export const prefetchFixes = (parts: readonly CompiledPart[]): Fix[] =>
  parts
    .filter(({ type }) => type.name === 'lba')
    .flatMap((part) =>
      together([part], { _depth: 3 }, `Let ${part.title} fetch three lines ahead`),
    );

/** A ring whose round-trip time is shorter than the given time. */
export function shorterRing(past: TraceQuery, passed: number): Fix[] {
  return past.parts('ring').flatMap((ring) => {
    const latency = Number(settingOf(ring, 'node_latency'));
    const nodes = Math.floor(passed / latency);
    return nodes < 2
      ? []
      : [{ title: `A ring of ${nodes} nodes`, edits: { [`${ring.name}.nodes`]: nodes } }];
  });
}

/**
 * Cached data is not fetched word by word over the bus; caches that do not snoop cannot keep data that others
 * write.
 */
export const cachingFixes = (past: TraceQuery): Fix[] =>
  together(
    past.parts('data_cache'),
    { uncached: '0 B', snoops: true },
    'Keep packets in caches, which snoop',
  );

/** Stops prefetching at the end of a page. */
export const pageEndFixes = (past: TraceQuery): Fix[] =>
  (['lba.page_end', 'pcix_bridge.page_end'] satisfies ParamPath[]).flatMap((path) =>
    changed(past, path, true, 'End fetching of {part} with its page'),
  );

type Row = Assignment;

/** Programs in which a row is replaced; empty if no row matches. */
function instead(
  data: Scenario | undefined,
  title: string,
  change: (row: Row) => Row | null,
): readonly Fix[] {
  const changed = (data ? allPrograms(data) : []).flatMap(([name, rows]) => {
    const now = rows.map(({ fields }) => change(fields) ?? fields);
    return now.some((row, at) => row !== rows[at]?.fields) ? [[name, now] as const] : [];
  });
  return changed.length === 0 ? [] : [{ title, edits: {}, programs: Object.fromEntries(changed) }];
}

/** A store by the processor changes only its byte. */
export const storeBytes = ({ data }: FixableRun): readonly Fix[] =>
  instead(data, 'Store the byte with the processor', ({ do: what, from, to }) =>
    what === 'dma_set_byte' && from !== undefined && to !== undefined
      ? { do: 'pio_write', from, to, bytes: 1, width: '1 B' }
      : null,
  );

/**
 * Hints of a mapping: merge half lines with the rest of their line, no prefetch, fast half-line writes, contiguous
 * prefetch.
 */
const [SAFE, NO_PREFETCH, FAST, CONTIGUOUS] = [1, 4, 16, 32];
const MAPPING = new Set(['map', 'map_buffer', 'dma_in']);

/** Programs with changed mapping hints; `change` returns null to keep a mapping. */
const hinted = (
  { data, machine: { variables } }: FixableRun,
  title: string,
  change: (hints: number) => number | null,
): readonly Fix[] =>
  instead(data, title, (row) => {
    if (!MAPPING.has(String(row.do))) return null;
    const { count = 0 } = row;
    const name = typeof count === 'string' && count.startsWith('$') ? count.slice(1) : null;
    const now = Number(name === null ? count : variables[name]);
    // A count that depends on the number of a processor has no single value to change.
    const hints = Number.isNaN(now) ? null : change(now);
    return hints === null ? null : { ...row, count: hints };
  });

/** With a safe mapping a device's half line is merged with the other half. */
export const mapForDirectionFix = (run: FixableRun): readonly Fix[] =>
  hinted(run, 'Map buffers safe: half lines are merged', (hints) =>
    (hints & (FAST | CONTIGUOUS)) === 0 ? null : (hints & ~(FAST | CONTIGUOUS)) | SAFE,
  );

/** Without prefetch a line is requested when the device needs it, and then has its newest data. */
export const withoutPrefetchFix = (run: FixableRun): readonly Fix[] =>
  hinted(run, 'Map buffers without prefetch', (hints) =>
    (hints & NO_PREFETCH) === 0 ? hints | NO_PREFETCH : null,
  );
