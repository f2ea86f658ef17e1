/** Which panels a view shows, and in which order: sums over definitions, apart from finding them. */
import type { View } from '../base/route';
import type { PanelDefinition, Slot } from '../widgets/panels';

/** By `order`, else by key, else last; ties by id. */
export function inOrder(panels: readonly PanelDefinition[]): readonly PanelDefinition[] {
  const rank = (panel: PanelDefinition) => panel.order ?? Number(panel.key ?? 99);
  return [...panels].sort((a, b) => rank(a) - rank(b) || a.id.localeCompare(b.id));
}

/** The panels of a view that have something to show in this mode. */
export const panelsIn = (
  all: readonly PanelDefinition[],
  view: View,
  lecture: boolean,
): readonly PanelDefinition[] =>
  all.filter(
    (panel) =>
      [panel.view].flat().includes(view) &&
      inMode(panel, lecture) &&
      (panel.shown?.getState() ?? true),
  );

export const inSlot = (
  panels: readonly PanelDefinition[],
  slot: Slot,
): readonly PanelDefinition[] => panels.filter((panel) => panel.slot === slot);

function inMode({ mode, slot }: PanelDefinition, lecture: boolean): boolean {
  const usual = slot === 'centre' || slot === 'full' ? 'always' : 'work';
  const wanted = mode ?? usual;
  return wanted === 'always' || wanted === (lecture ? 'lecture' : 'work');
}
