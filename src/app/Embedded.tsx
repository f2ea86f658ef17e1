import { useEffect } from 'react';
import { formatFragment, route } from '../base/route';
import { shell } from '../base/shell-state';
import { quote } from '../base/suggest';
import { stepForward } from '../controllers/step-forward';
import { runTime, useFrameValue, useRun } from '../controllers/useRun';
import { useStore } from '../controllers/useStore';
import { player } from '../model/session/open-run';
import { EmptyState } from '../widgets/Feedback';
import { PlayButtons } from '../widgets/PlayButtons';
import { pageAddress } from '../widgets/page-address';
import type { PanelDefinition } from '../widgets/panels';
import { addressCode } from './address/session-code';
import styles from './Embedded.module.css';
import { hostsIn, startMessages } from './embed-messages';
import { PanelSlot } from './PanelSlot';
import type { Heading } from './page-title';
import { panelsOf } from './panels';

/** Panels in a frame: those that the address names, play and steps, and the way to the whole page. */
export default function Embedded({ heading }: { readonly heading: Heading }) {
  const ids = useStore(shell, ({ embed }) => embed) ?? [];
  const view = useStore(route, (place) => place.view);
  useEffect(() => startMessages(window, [location.origin, ...hostsIn(location.search)]), []);
  const offered = panelsOf(view, false);
  const shown = ids.flatMap((id) => offered.find((panel) => panel.id === id) ?? []);
  const missing = ids.filter((id) => !shown.some((panel) => panel.id === id));
  return (
    <div className={styles.frame}>
      {missing.length > 0 && <Missing ids={missing} offered={offered} />}
      <div className={styles.panels}>
        {shown.map((panel) => (
          <div key={panel.id} className={styles.panel} data-slot={panel.slot}>
            <PanelSlot panel={panel} canMaximise={false} />
          </div>
        ))}
      </div>
      <Bar title={heading.title} />
    </div>
  );
}

interface MissingProps {
  readonly ids: readonly string[];
  readonly offered: readonly PanelDefinition[];
}

function Missing({ ids, offered }: MissingProps) {
  const known = offered.map(({ id }) => id).join(', ');
  return (
    <EmptyState title={`This view has no panel ${ids.map(quote).join(', ')}`}>
      It has: {known || 'none yet, the scenario is being opened'}.
    </EmptyState>
  );
}

/** Play, steps, time, and the same place in the whole page. */
function Bar({ title }: { readonly title: string }) {
  useRun();
  const { status, playing } = useStore(player.state);
  const time = useFrameValue(() => runTime(player.now().timePs).value);
  const unit = useFrameValue(() => runTime(player.now().timePs).unit);
  return (
    <footer className={styles.bar}>
      <PlayButtons
        playing={playing}
        disabled={status !== 'ready'}
        onBack={() => void player.step(-1)}
        onToggle={() => player.toggle()}
        onForward={() => void stepForward(player)}
      />
      <span className={styles.time}>
        {time} {unit}
      </span>
      <h1 title={title}>{title}</h1>
      <a
        href={pageAddress(formatFragment(useStore(route), useStore(addressCode)))}
        target="_blank"
        rel="noreferrer"
      >
        Open in Busyard
      </a>
    </footer>
  );
}
