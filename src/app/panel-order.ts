/** Which panels a view shows, and in which order; separate from finding the definitions. */
import type { View } from '../base/route';
import type { PanelDefinition, Slot } from '../widgets/panels';

/** By `order`, else by key, else last; ties by id. */
export function inOrder(panels: readonly PanelDefinition[]): readonly PanelDefinition[] {
  const rank = (panel: PanelDefinition) => panel.order ?? Number(panel.key ?? 99);
  return [...panels].sort((a, b) => rank(a) - rank(b) || (a.id < b.id ? -1 : 1));
}

/** The panels of a view that have contents to show in this mode. */
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
  const shownIn = mode ?? usual;
  return shownIn === 'always' || shownIn === (lecture ? 'lecture' : 'work');
}

/** At most two places side by side: panels with the same digit share one, the rest join the last. */
export function sideBySide(panels: readonly PanelDefinition[]): PanelDefinition[][] {
  const cells: PanelDefinition[][] = [];
  for (const panel of panels) {
    const same = panels.length > 2 && cells.find(([first]) => first?.key === panel.key);
    const cell = same || (cells.length < 2 ? undefined : cells.at(-1));
    if (cell) cell.push(panel);
    else cells.push([panel]);
  }
  return cells;
}

/** The places of a column: neighbours with the same digit share one. */
export function stacked(panels: readonly PanelDefinition[]): PanelDefinition[][] {
  const cells: PanelDefinition[][] = [];
  for (const panel of panels) {
    const last = cells.at(-1);
    if (panel.key && last?.[0]?.key === panel.key) last.push(panel);
    else cells.push([panel]);
  }
  return cells;
}
