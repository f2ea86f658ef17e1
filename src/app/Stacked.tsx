import { useEffect, useState } from 'react';
import { shell } from '../base/shell-state';
import { useStore } from '../controllers/useStore';
import { Icon } from '../widgets/Icon';
import { Menu } from '../widgets/Menu';
import type { PanelDefinition } from '../widgets/panels';
import { Tabs } from '../widgets/Tabs';
import { onFocusPanel } from './focus';
import { PanelSlot } from './PanelSlot';
import styles from './Stacked.module.css';

type Place = NonNullable<PanelDefinition['phone']>;

const placeOf = (panel: PanelDefinition): Place =>
  panel.phone ?? (panel.slot === 'dock' ? 'bottom' : 'tab');

/**
 * One panel at a time with tabs below it, a text below that if there is one, and the controls at the lower
 * edge, in reach of the thumb. Small tablets have the text above. A maximised panel takes the room of the
 * text; tabs and controls stay.
 */
export function Stacked({ panels }: { readonly panels: readonly PanelDefinition[] }) {
  const [chosen, choose] = useState<string | null>(null);
  const at = (place: Place) => panels.filter((panel) => placeOf(panel) === place);
  const { front, more } = fold(
    at('tab').toSorted((a, b) => rank(a) - rank(b)),
    at('more'),
  );
  const tabs = [...front, ...more];
  const shown = tabs.find((panel) => panel.id === chosen) ?? tabs[0];
  const isWhole = useStore(shell, ({ maximised }) => maximised !== null && maximised === shown?.id);
  const texts = isWhole ? [] : at('top');
  // A text that is always visible does not change the tab; it comes back if it was hidden.
  useEffect(
    () =>
      onFocusPanel((id) => {
        const panel = panels.find((panel) => panel.id === id);
        if (!panel) return;
        if (isTab(placeOf(panel))) choose(id);
        else if (placeOf(panel) === 'top') shell.setState({ maximised: null });
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
          <PanelSlot panel={shown} canMaximise={at('top').length > 0} />
        </div>
      )}
      {tabs.length > 1 && (
        <div className={styles.tabs}>
          <Tabs
            label="Panels"
            tabs={front.map((panel) => ({ id: panel.id, title: nameOf(panel) }))}
            value={shown?.id ?? ''}
            onChange={choose}
            controls="stacked-panel"
          />
          {more.length > 0 && <More panels={more} shown={shown} choose={choose} />}
        </div>
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

interface MoreProps {
  readonly panels: readonly PanelDefinition[];
  readonly shown: PanelDefinition | undefined;
  choose(id: string): void;
}

/** A menu of the panels without a tab. Its label is the panel it shows, if any. */
function More({ panels, shown, choose }: MoreProps) {
  const own = panels.find((panel) => panel === shown);
  return (
    <Menu
      label={own ? `More panels, ${nameOf(own)} is shown` : 'More panels'}
      items={panels.map((panel) => ({
        id: panel.id,
        title: nameOf(panel),
        run: () => choose(panel.id),
      }))}
      className={own ? `${styles.more} ${styles.chosen}` : styles.more}
    >
      {own ? nameOf(own) : 'More'}
      <Icon name="down" size={12} />
    </Menu>
  );
}

const isTab = (place: Place): boolean => place === 'tab' || place === 'more';
const nameOf = ({ tab, title }: PanelDefinition): string => tab ?? title;

/** Most tabs in total, and most of them for centre panels. */
const [MOST_TABS, MOST_CENTRE] = [5, 3];

/** Divides the panels into those with tabs and those in the menu; no menu if all fit. */
function fold(tabs: readonly PanelDefinition[], late: readonly PanelDefinition[]) {
  const all = [...tabs, ...late];
  if (all.length <= MOST_TABS) return { front: all, more: [] };
  const centre = tabs.filter((panel) => panel.slot === 'centre').slice(0, MOST_CENTRE);
  const others = tabs.filter((panel) => panel.slot !== 'centre');
  const front = [...centre, ...others].slice(0, MOST_TABS);
  return { front, more: all.filter((panel) => !front.includes(panel)) };
}

/** Order on a small screen: evidence, explanation, controls. */
const rank = (panel: PanelDefinition): number =>
  ['centre', 'right', 'left', 'dock'].indexOf(panel.slot);
