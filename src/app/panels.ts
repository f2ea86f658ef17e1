/**
 * Finds the panels: every folder of src/panels with an index.tsx defines one or several, unless its name
 * begins with `_`.
 */
import { commands } from '../base/commands';
import type { View } from '../base/route';
import type { PanelDefinition } from '../widgets/panels';
import { inOrder, panelsIn } from './panel-order';

interface PanelModule {
  readonly default: PanelDefinition | readonly PanelDefinition[];
}

const modules = import.meta.glob<PanelModule>(
  ['../panels/*/index.tsx', '!../panels/_*/index.tsx'],
  {
    eager: true,
  },
);

export const allPanels: readonly PanelDefinition[] = inOrder(
  Object.values(modules).flatMap((module) => module.default),
);

for (const command of allPanels.flatMap((panel) => panel.commands ?? [])) commands.add(command);

export const overlayPanel = (id: string | null): PanelDefinition | undefined =>
  allPanels.find((panel) => panel.slot === 'overlay' && panel.id === id);

export const panelsOf = (view: View, lecture: boolean): readonly PanelDefinition[] =>
  panelsIn(allPanels, view, lecture);
