/** What parameters could be set otherwise, where the way a machine is set is to blame. */
import type { CompiledPart } from '../scenario/compile';
import type { Cure } from './culprit';
import { type Past, settingOf } from './past';

/** A change of each part of a type whose parameter is not as it would have to be. */
export const changed = (
  past: Past,
  type: string,
  param: string,
  wanted: string | boolean | number,
  title: (part: CompiledPart) => string,
): Cure[] =>
  past.parts(type).flatMap((part) => {
    const value = settingOf(part, param);
    const stands = value === null || value === String(wanted);
    return stands ? [] : [{ title: title(part), edits: { [`${part.name}.${param}`]: wanted } }];
  });

/** An adapter that snoops also translates, so the services that map have to be of its kind. */
function snooping(past: Past): Cure[] {
  const wanted = ['io_adapter', 'io_services'].flatMap((type) =>
    changed(past, type, 'mode', 'coherent', ({ title }) => `Let ${title} snoop`),
  );
  const [first] = wanted;
  return first && past.parts('io_adapter').some((part) => first.title.includes(part.title))
    ? [{ title: first.title, edits: Object.assign({}, ...wanted.map(({ edits }) => edits)) }]
    : [];
}

/** What keeps devices and caches of one mind, where it is switched off or broken. */
export const coherenceCures = (
  past: Past,
  steps: readonly (readonly [string, string])[],
): Cure[] => [
  ...snooping(past),
  ...steps.flatMap(([param, title]) => changed(past, 'io_services', param, true, () => title)),
  ...broken(past),
];

export const broken = (past: Past): Cure[] =>
  ['io_services', 'io_adapter', 'memory_controller', 'snoop_cache', 'runway', 'hsc_pci'].flatMap(
    (type) => changed(past, type, 'fault', 'none', ({ title }) => `Mend ${title}: no defect`),
  );

export const flushCures = (past: Past): Cure[] => [
  ...changed(past, 'iommu_map', 'flush', 'each', () => 'Flush at each unmap'),
  ...broken(past),
];

/** What has a walk read the newest of an entry. */
export const walkCures = (past: Past): Cure[] => [
  ...changed(past, 'iommu_map', 'fault', 'none', ({ title }) => `Mend ${title}: no defect`),
  ...changed(past, 'iommu_map', 'flush_entries', true, () => 'Flush entries that are stored'),
  ...changed(past, 'iommu', 'snoops', true, ({ title }) => `Let walks of ${title} be snooped`),
];
