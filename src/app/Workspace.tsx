import { useEffect, useState } from 'react';
import { shell } from '../base/shell-state';
import type { Readable } from '../base/store';
import { useStore } from '../controllers/useStore';
import { openedPanel } from '../model/lesson/lesson-panels';
import { IconButton } from '../widgets/Button';
import type { PanelDefinition } from '../widgets/panels';
import { Split, type SplitPart } from '../widgets/Split';
import { Tabs } from '../widgets/Tabs';
import { onFocusPanel } from './focus';
import type { Layout } from './layout';
import { PanelSlot } from './PanelSlot';
import { inSlot, sideBySide, stacked } from './panel-order';
import styles from './Workspace.module.css';

interface WorkspaceProps {
  readonly panels: readonly PanelDefinition[];
  readonly layout: Layout;
}

/** Columns and dock: the desktop layout. A projector shows a single centre panel. */
export function Workspace({ panels, layout }: WorkspaceProps) {
  const lecture = useStore(shell, (state) => state.lecture);
  const dock = inSlot(panels, 'dock');
  const captions = dock.filter((panel) => panel.mode === 'lecture');
  const strips = dock.filter((panel) => panel.mode !== 'lecture');
  const needed = useStore(growing(strips)?.startHeight ?? NO_HEIGHT);
  const above = (
    <div className={styles.above}>
      <Columns panels={panels} layout={layout} lecture={lecture} />
      {captions.map((panel) => (
        <div key={panel.id} className={styles.caption}>
          <PanelSlot panel={panel} canMaximise={false} />
        </div>
      ))}
    </div>
  );
  const rows: SplitPart[] = [{ id: 'panels', min: 160, content: above }];
  if (strips.length > 0) {
    rows.push({
      id: 'dock',
      size: dockHeight(strips, lecture ? 1.5 : 1, layout.growth, needed),
      min: 40,
      content: <Dock panels={strips} needed={needed} />,
    });
  }
  return (
    <div className={styles.workspace}>
      <Split id="rows" direction="vertical" parts={rows} heavyBefore="dock" />
    </div>
  );
}

const STRIP = 120;

const NO_HEIGHT: Readable<number | undefined> = {
  getState: () => undefined,
  subscribe: () => () => undefined,
};

const growing = (strips: readonly PanelDefinition[]) => strips.find(({ grow }) => grow);

/**
 * On a large screen the growing dock panels get more of the extra height than the drawing above, so that
 * twelve lanes are readable. With little to show they leave it to the panels.
 */
const dockHeight = (
  strips: readonly PanelDefinition[],
  scale: number,
  growth: number,
  needed = Number.POSITIVE_INFINITY,
): number =>
  strips.reduce((sum, strip) => {
    const { height = STRIP } = strip;
    const most = strip === growing(strips) ? Math.min(height * (2 * growth - 1), needed) : height;
    return sum + most * scale;
  }, 0);

interface DockProps {
  readonly panels: readonly PanelDefinition[];
  readonly needed: number | undefined;
}

function Dock({ panels, needed = Number.POSITIVE_INFINITY }: DockProps) {
  const grows = growing(panels);
  return (
    <div className={styles.dock}>
      {panels.map((panel, index) => {
        const { height = STRIP } = panel;
        const strip = panel === grows ? Math.min(height, needed) : height;
        const isLast = index === panels.length - 1;
        return (
          <div
            key={panel.id}
            style={{ '--strip': `${strip}px` } as React.CSSProperties}
            data-grow={panel === grows || (!grows && isLast) || undefined}
          >
            <PanelSlot panel={panel} canMaximise={false} />
          </div>
        );
      })}
    </div>
  );
}

function Columns({ panels, layout, lecture }: WorkspaceProps & { readonly lecture: boolean }) {
  const drawer = useStore(shell, (state) => state.drawer);
  const left = inSlot(panels, 'left');
  const centre = inSlot(panels, 'centre');
  const right = inSlot(panels, 'right');
  const slides = layout.kind === 'drawer' && right.length > 0;
  const parts: SplitPart[] = [];
  if (left.length > 0) {
    parts.push({
      id: 'left column',
      size: layout.left,
      min: 200,
      content: <Stack panels={left} />,
    });
  }
  parts.push({
    id: 'centre',
    min: 320,
    content: lecture ? <Projected panels={centre} /> : <Centre panels={centre} layout={layout} />,
  });
  if (right.length > 0 && !slides) {
    const content = <Stack panels={right} />;
    parts.push({ id: 'right column', size: layout.right, min: 200, content });
  }
  return (
    <div className={styles.columns} data-drawer={slides || undefined}>
      <Split id={`columns-${layout.left}-${layout.right}`} direction="horizontal" parts={parts} />
      {slides && (
        <Drawer
          panels={right}
          width={layout.right}
          open={drawer}
          onToggle={(open) => shell.setState({ drawer: open })}
        />
      )}
    </div>
  );
}

/** Panels stacked vertically; those with the same digit share a place. */
function Stack({ panels }: { readonly panels: readonly PanelDefinition[] }) {
  const parts = stacked(panels).map((cell, index) => ({
    id: cell.map((panel) => panel.id).join('-'),
    size: index > 0 ? cell[0]?.height : undefined,
    min: 80,
    content: <Tabbed panels={cell} />,
  }));
  return <Split id={parts.map(({ id }) => id).join('-')} direction="vertical" parts={parts} />;
}

/** The first panel above the others, which are side by side; in a low window, one at a time with tabs. */
function Centre({ panels, layout }: WorkspaceProps) {
  const { low, growth } = layout;
  const [first] = panels;
  const top = panels.filter(
    (panel) => panel === first || panel.id === first?.joins || panel.joins === first?.id,
  );
  const others = panels.filter((panel) => !top.includes(panel));
  const startHeight = useStore(first?.startHeight ?? NO_HEIGHT);
  if (!first) return null;
  if (others.length === 0 || low) return <Tabbed panels={panels} />;
  const below = sideBySide(others).map((cell) => ({
    id: cell.map((panel) => panel.id).join('-'),
    min: 160,
    content: <Tabbed panels={cell} />,
  }));
  const height = startHeight ?? first.height ?? 398;
  const rows: SplitPart[] = [
    {
      id: first.id,
      size: height * growth,
      min: 160,
      content: <Tabbed panels={top} />,
    },
    {
      id: 'below',
      min: 80,
      content: (
        <Split id={below.map(({ id }) => id).join('-')} direction="horizontal" parts={below} />
      ),
    },
  ];
  const id = `centre-rows-${height}-${growth}`;
  // Only a newly mounted split uses its initial sizes.
  return <Split key={id} id={id} direction="vertical" parts={rows} />;
}

/** The most recently focused panel of a place; the first if none was. */
function useAskedFor(panels: readonly PanelDefinition[]) {
  const [chosen, choose] = useState<string | null>(null);
  useEffect(
    () =>
      onFocusPanel((id) => {
        if (panels.some((panel) => panel.id === id)) choose(id);
      }),
    [panels],
  );
  return { shown: panels.find((panel) => panel.id === chosen) ?? panels[0], choose };
}

/** A projector shows one panel; the keys of another panel bring that one up. */
function Projected({ panels }: { readonly panels: readonly PanelDefinition[] }) {
  const { shown } = useAskedFor(panels);
  return shown ? <PanelSlot panel={shown} canMaximise /> : null;
}

/** Panels that share a place, one at a time; a single one has no tabs. */
function Tabbed({ panels }: { readonly panels: readonly PanelDefinition[] }) {
  const { shown, choose } = useAskedFor(panels);
  if (!shown) return null;
  if (panels.length === 1) return <PanelSlot panel={shown} canMaximise />;
  return (
    <div className={styles.tabbed}>
      <Tabs
        label="Panels"
        tabs={panels.map(({ id, title, tab }) => ({ id, title: tab ?? title }))}
        value={shown.id}
        onChange={choose}
        controls={shown.id}
      />
      <PanelSlot panel={shown} canMaximise />
    </div>
  );
}

interface DrawerProps {
  readonly panels: readonly PanelDefinition[];
  readonly width: number;
  readonly open: boolean;
  onToggle(open: boolean): void;
}

/** Opens the drawer when one of its panels is asked for, also if the panel came with the request. */
function useOpening(panels: readonly PanelDefinition[]): void {
  const ids = panels.map(({ id }) => id).join(' ');
  useEffect(() => {
    const open = (id: string | null) => {
      if (id !== null && ids.split(' ').includes(id)) shell.setState({ drawer: true });
    };
    open(openedPanel.getState().id);
    return onFocusPanel(open);
  }, [ids]);
}

/** The right column of a narrow desktop: it slides over the centre; Escape closes it. */
function Drawer({ panels, width, open, onToggle }: DrawerProps) {
  const title = panels[0]?.title ?? 'Details';
  useOpening(panels);
  return (
    <aside
      className={styles.drawer}
      aria-label={title}
      data-open={open || undefined}
      style={{ '--drawer': `${width}px` } as React.CSSProperties}
      onKeyDown={(event) => {
        if (event.key === 'Escape' && open) onToggle(false);
      }}
    >
      <IconButton
        className={styles.handle}
        icon={open ? 'forward' : 'back'}
        label={open ? `Close ${title}` : `Open ${title}`}
        aria-expanded={open}
        onClick={() => onToggle(!open)}
      />
      <div className={styles.drawerBody} inert={!open}>
        <Stack panels={panels} />
      </div>
    </aside>
  );
}
