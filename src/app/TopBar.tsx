import { type Command, commands, isAvailable, runCommand } from '../base/commands';
import { BUILDER, formatFragment, GALLERY, route } from '../base/route';
import { shell, showOverlay } from '../base/shell-state';
import { useStore } from '../controllers/useStore';
import { lessonPanels, showAllPanels } from '../model/lesson/lesson-panels';
import { IconButton } from '../widgets/Button';
import { Icon } from '../widgets/Icon';
import { Kbd } from '../widgets/Kbd';
import { Menu } from '../widgets/Menu';
import { Logo } from './Logo';
import { Toasts } from './Messages';
import { session } from './opening/open-document';
import type { Heading } from './page-title';
import styles from './TopBar.module.css';
import { toggleTheme } from './theme';

const toggleLecture = () => shell.setState((state) => ({ lecture: !state.lecture }));

/** The top bar of a desktop: place, actions, and the search field. */
export function TopBar({ heading }: { readonly heading: Heading }) {
  const gallery = useStore(route, (state) => state.view === 'gallery');
  const open = useStore(session, (state) => state !== null);
  const canUndo = useStore(session, (state) => state?.canUndo ?? false);
  const canRedo = useStore(session, (state) => state?.canRedo ?? false);
  const theme = useStore(shell, (state) => state.theme);
  return (
    <header className={styles.top}>
      <a
        className={styles.brand}
        href={formatFragment(GALLERY)}
        aria-label="Busyard: go to the gallery"
      >
        <Logo />
        <b>Busyard</b>
      </a>
      <i className={styles.rule} />
      <Title heading={heading} />
      <nav className={styles.nav} aria-label="Session">
        <a href={formatFragment(GALLERY)} aria-current={gallery ? 'page' : undefined}>
          Gallery
        </a>
        {gallery && (
          <a className={styles.build} href={formatFragment(BUILDER)}>
            Build a machine
          </a>
        )}
        <button type="button" title="Open a file (Ctrl O)" onClick={() => runCommand('file.open')}>
          Open
        </button>
        {open && !gallery && (
          <button type="button" title="Share by link" onClick={() => showOverlay('share')}>
            Share
          </button>
        )}
        {!gallery && <MorePanels />}
        {!gallery && <CommandMenu label="Export" menu="export" />}
        {!gallery && <CommandMenu label="Compare" menu="compare" />}
      </nav>
      <i className={styles.rule} />
      {open && !gallery && (
        <div className={styles.buttons}>
          <IconButton
            icon="undo"
            label="Undo"
            keys="Ctrl Z"
            disabled={!canUndo}
            onClick={() => runCommand('undo')}
          />
          <IconButton
            icon="redo"
            label="Redo"
            keys="Ctrl Y"
            disabled={!canRedo}
            onClick={() => runCommand('redo')}
          />
        </div>
      )}
      <button
        type="button"
        className={styles.find}
        aria-label="Find or do anything"
        onClick={() => showOverlay('palette')}
      >
        <Icon name="search" />
        <span>
          Find<i> or do anything</i>
        </span>
        <Kbd keys="Ctrl+K" />
      </button>
      <div className={styles.buttons}>
        <IconButton icon="projector" label="Projector mode" keys="L" onClick={toggleLecture} />
        <IconButton
          icon={theme === 'dark' ? 'sun' : 'moon'}
          label={theme === 'dark' ? 'Light theme' : 'Dark theme'}
          onClick={toggleTheme}
        />
        <IconButton icon="help" label="Key help" keys="?" onClick={() => showOverlay('keys')} />
      </div>
    </header>
  );
}

function Title({ heading }: { readonly heading: Heading }) {
  return (
    <div className={styles.doc}>
      {heading.system && (
        <>
          <span className={styles.system}>{heading.system}</span>
          <span className={styles.slash} aria-hidden="true">
            /
          </span>
        </>
      )}
      <h1 title={heading.title}>{heading.title}</h1>
      {heading.note && <span className={styles.note}>{heading.note}</span>}
      <Toasts />
    </div>
  );
}

/** Shows the panels that the lesson does not need; nothing if all are shown. */
function MorePanels() {
  const isReduced = useStore(lessonPanels, (needed) => needed !== null);
  if (!isReduced || route.getState().view !== 'machine') return null;
  return (
    <button type="button" onClick={showAllPanels}>
      More panels
    </button>
  );
}

/** A menu of the commands that declare it; nothing if there are none. */
function CommandMenu(props: { readonly label: string; readonly menu: 'export' | 'compare' }) {
  const items = itemsOf(useStore(commands), props.menu);
  if (items.length === 0) return null;
  return (
    <Menu label={props.label} items={items}>
      {props.label}
    </Menu>
  );
}

const itemsOf = (all: readonly Command[], menu: 'export' | 'compare') =>
  all
    .filter((command) => command.menu === menu && isAvailable(command))
    .map(({ id, title, hint, keys, run }) => ({ id, title, hint, keys: keys?.[0], run }));
