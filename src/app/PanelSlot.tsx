import { Component, type ReactNode, Suspense, useMemo } from 'react';
import { shell } from '../base/shell';
import { ErrorNotice } from '../widgets/Feedback';
import { PanelContext, type PanelDefinition } from '../widgets/panels';
import { useStore } from '../widgets/useStore';

interface PanelSlotProps {
  readonly panel: PanelDefinition;
  readonly canMaximise: boolean;
}

/** One panel in its place: loads it, tells it where it stands, and keeps its failure to itself. */
export function PanelSlot({ panel, canMaximise }: PanelSlotProps) {
  const maximised = useStore(shell, (state) => state.maximised === panel.id);
  const asText = useStore(shell, (state) => state.asText.includes(panel.id));
  const { id, key, component: Contents } = panel;
  const place = useMemo(
    () => ({ id, key, maximised, asText, canMaximise }),
    [id, key, maximised, asText, canMaximise],
  );
  return (
    <PanelContext.Provider value={place}>
      <PanelBoundary title={panel.title}>
        <Suspense fallback={null}>
          <Contents />
        </Suspense>
      </PanelBoundary>
    </PanelContext.Provider>
  );
}

interface BoundaryProps {
  readonly title: string;
  readonly children: ReactNode;
}

class PanelBoundary extends Component<BoundaryProps, { error: Error | null }> {
  override state: { error: Error | null } = { error: null };

  static getDerivedStateFromError(error: Error) {
    return { error };
  }

  override render() {
    const { error } = this.state;
    if (!error) return this.props.children;
    const retry = { title: 'Show it again', run: () => this.setState({ error: null }) };
    return (
      <ErrorNotice
        title={`${this.props.title} cannot be shown`}
        place={error.message}
        detail="The session and the other panels are untouched."
        actions={[retry]}
      />
    );
  }
}
