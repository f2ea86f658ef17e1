import { useEffect, useState } from 'react';
import type { PanelDefinition } from '../widgets/panels';
import { Tabs } from '../widgets/Tabs';
import { onFocusPanel } from './focus';
import { PanelSlot } from './PanelSlot';
import styles from './Stacked.module.css';

type Place = NonNullable<PanelDefinition['phone']>;

const placeOf = (panel: PanelDefinition): Place =>
  panel.phone ?? (panel.slot === 'dock' ? 'bottom' : 'tab');

/**
 * One panel at a time with tabs under it, text below if there is any, and the controls along the lower
 * edge, where thumbs are. Small tablets get the same with the text above.
 */
export function Stacked({ panels }: { readonly panels: readonly PanelDefinition[] }) {
  const [chosen, choose] = useState<string | null>(null);
  const at = (place: Place) => panels.filter((panel) => placeOf(panel) === place);
  const tabs = at('tab').toSorted((a, b) => rank(a) - rank(b));
  const texts = at('top');
  const shown = tabs.find((panel) => panel.id === chosen) ?? tabs[0];
  // A text that is always there leaves the tab as it is.
  useEffect(
    () =>
      onFocusPanel((id) => {
        if (panels.some((panel) => panel.id === id && placeOf(panel) === 'tab')) choose(id);
      }),
    [panels],
  );
  return (
    <div className={styles.stacked}>
      {texts.map((panel) => (
        <div key={panel.id} className={styles.text}>
          <PanelSlot panel={panel} canMaximise={false} />
        </div>
      ))}
      {shown && (
        <div className={styles.main} role="tabpanel" id="stacked-panel" aria-label={shown.title}>
          <PanelSlot panel={shown} canMaximise={false} />
        </div>
      )}
      {tabs.length > 1 && (
        <Tabs
          label="Panels"
          tabs={tabs.map(({ id, title, tab }) => ({ id, title: tab ?? title }))}
          value={shown?.id ?? ''}
          onChange={choose}
          controls="stacked-panel"
        />
      )}
      {at('bottom').map((panel) => (
        <div
          key={panel.id}
          className={styles.bottom}
          style={{ '--strip': `${panel.height ?? 48}px` } as React.CSSProperties}
        >
          <PanelSlot panel={panel} canMaximise={false} />
        </div>
      ))}
    </div>
  );
}

/** The evidence comes first on a small screen, then its explanation, then what can be changed. */
const rank = (panel: PanelDefinition): number =>
  ['centre', 'right', 'left', 'dock'].indexOf(panel.slot);
