/** Finds the panels, and answers which of them a view shows. */
import { commands } from '../base/commands';
import type { View } from '../base/route';
import type { PanelDefinition, Slot } from '../widgets/panels';

interface PanelModule {
  readonly default: PanelDefinition | readonly PanelDefinition[];
}

const modules = import.meta.glob<PanelModule>('../panels/*/index.tsx', { eager: true });

export const allPanels: readonly PanelDefinition[] = inOrder(
  Object.keys(modules)
    .sort()
    .flatMap((path) => modules[path]?.default ?? []),
);

for (const command of allPanels.flatMap((panel) => panel.commands ?? [])) commands.add(command);

export const overlayPanel = (id: string | null): PanelDefinition | undefined =>
  allPanels.find((panel) => panel.slot === 'overlay' && panel.id === id);

/** The panels of a view that have something to show in this mode, in order. */
export function panelsOf(
  view: View,
  lecture: boolean,
  all: readonly PanelDefinition[] = allPanels,
): readonly PanelDefinition[] {
  return all.filter(
    (panel) =>
      [panel.view].flat().includes(view) &&
      inMode(panel, lecture) &&
      (panel.shown?.getState() ?? true),
  );
}

export const inSlot = (
  panels: readonly PanelDefinition[],
  slot: Slot,
): readonly PanelDefinition[] => panels.filter((panel) => panel.slot === slot);

function inMode({ mode, slot }: PanelDefinition, lecture: boolean): boolean {
  const usual = slot === 'centre' || slot === 'full' ? 'always' : 'work';
  const wanted = mode ?? usual;
  return wanted === 'always' || wanted === (lecture ? 'lecture' : 'work');
}

/** By `order`, else by key, else last; ties by id. */
export function inOrder(panels: readonly PanelDefinition[]): readonly PanelDefinition[] {
  const rank = (panel: PanelDefinition) => panel.order ?? Number(panel.key ?? 99);
  return [...panels].sort((a, b) => rank(a) - rank(b) || a.id.localeCompare(b.id));
}
