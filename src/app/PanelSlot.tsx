import { Suspense, useDeferredValue, useMemo } from 'react';
import { shell } from '../base/shell-state';
import { useStore } from '../controllers/useStore';
import { PanelContext, type PanelDefinition } from '../widgets/panels';
import { PanelBoundary } from './Boundaries';

interface PanelSlotProps {
  readonly panel: PanelDefinition;
  readonly canMaximise: boolean;
}

/** One panel in its slot: loads it, passes its place, and contains its failure. */
export function PanelSlot({ panel, canMaximise }: PanelSlotProps) {
  const maximised = useStore(shell, (state) => state.maximised === panel.id);
  const bare = useStore(shell, ({ embed }) => embed !== null);
  const asText = useStore(shell, (state) => state.asText.includes(panel.id));
  const { id, title, key, component: Contents } = panel;
  // The frame is rendered and measured empty first; with contents, layout alone takes 20 ms.
  const hasFrame = useDeferredValue(true, false);
  const place = useMemo(
    () => ({ id, title, key, maximised, asText, canMaximise, bare }),
    [id, title, key, maximised, asText, canMaximise, bare],
  );
  return (
    <PanelContext.Provider value={place}>
      <PanelBoundary title={title}>
        <Suspense fallback={null}>{hasFrame && <Contents />}</Suspense>
      </PanelBoundary>
    </PanelContext.Provider>
  );
}
