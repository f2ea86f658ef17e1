/** What parameters could be set otherwise, where the way a machine is set is to blame. */
import type { CompiledPart } from '../scenario/compile';
import { settingOf } from '../scenario/param-rules';
import type { Fix } from './diagnose';
import type { TraceQuery } from './trace-query';

/** A change of each part of a type whose parameter is not as it would have to be. */
export const changed = (
  past: TraceQuery,
  type: string,
  param: string,
  wanted: string | boolean | number,
  title: (part: CompiledPart) => string,
): Fix[] =>
  past.parts(type).flatMap((part) => {
    const value = settingOf(part, param);
    const stands = value === null || value === String(wanted);
    return stands ? [] : [{ title: title(part), edits: { [`${part.name}.${param}`]: wanted } }];
  });

/** An adapter that snoops also translates, so the services that map have to be of its kind. */
function snooping(past: TraceQuery): Fix[] {
  const wanted = ['io_adapter', 'io_services'].flatMap((type) =>
    changed(past, type, 'mode', 'coherent', ({ title }) => `Let ${title} snoop`),
  );
  const [first] = wanted;
  return first && past.parts('io_adapter').some((part) => first.title.includes(part.title))
    ? [{ title: first.title, edits: Object.assign({}, ...wanted.map(({ edits }) => edits)) }]
    : [];
}

/** What keeps devices and caches of one mind, where it is switched off or broken. */
export const coherenceFixes = (
  past: TraceQuery,
  steps: readonly (readonly [string, string])[],
): Fix[] => [
  ...snooping(past),
  ...steps.flatMap(([param, title]) => changed(past, 'io_services', param, true, () => title)),
  ...broken(past),
];

export const broken = (past: TraceQuery): Fix[] =>
  ['io_services', 'io_adapter', 'memory_controller', 'snoop_cache', 'runway', 'hsc_pci'].flatMap(
    (type) => changed(past, type, 'fault', 'none', ({ title }) => `Fix ${title}: no defect`),
  );

export const flushFixes = (past: TraceQuery): Fix[] => [
  ...changed(past, 'iommu_map', 'flush', 'each', () => 'Flush at each unmap'),
  ...broken(past),
];

/** What has a walk read the newest of an entry. */
export const tableWalkFixes = (past: TraceQuery): Fix[] => [
  ...changed(past, 'iommu_map', 'fault', 'none', ({ title }) => `Fix ${title}: no defect`),
  ...changed(past, 'iommu_map', 'flush_entries', true, () => 'Flush entries that are stored'),
  ...changed(past, 'iommu', 'snoops', true, ({ title }) => `Let walks of ${title} be snooped`),
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

/** What is in a cache is not fetched word by word over the bus; caches that do not snoop cannot keep what others write. */
export const cachingFixes = (past: TraceQuery): Fix[] =>
  together(
    past.parts('data_cache'),
    { uncached: '0 B', snoops: true },
    'Keep packets in caches, which snoop',
  );

/** Where fetching ahead goes on into a page that is not mapped. */
export const pageEndFixes = (past: TraceQuery): Fix[] =>
  ['lba', 'pcix_bridge'].flatMap((type) =>
    changed(past, type, 'page_end', true, ({ title }) => `End fetching of ${title} with its page`),
  );
