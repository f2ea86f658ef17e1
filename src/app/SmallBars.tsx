import { commands, isAvailable } from '../base/commands';
import { formatFragment, GALLERY, route } from '../base/route';
import { useStore } from '../controllers/useStore';
import { Icon } from '../widgets/Icon';
import { Kbd } from '../widgets/Kbd';
import { Menu, type MenuItem } from '../widgets/Menu';
import { Logo } from './Logo';
import { Toasts } from './Messages';
import type { Heading } from './page-title';
import styles from './SmallBars.module.css';

/** Commands of the phone menu, in order; unavailable ones are left out. */
const PHONE_MENU = [
  'palette',
  'file.open',
  'share',
  'undo',
  'redo',
  'go.report',
  'lecture',
  'theme',
  'keys',
];

const PHONE_TITLES: Readonly<Record<string, string>> = { palette: 'Find or do anything' };

/** The top bar of a phone: back, title, and one menu for everything else. */
export function PhoneBar({ heading }: { readonly heading: Heading }) {
  const gallery = useStore(route, (state) => state.view === 'gallery');
  const all = useStore(commands);
  const listed = [
    ...PHONE_MENU.flatMap((id) => all.find((command) => command.id === id) ?? []),
    ...all.filter((command) => command.menu !== undefined),
  ];
  const items: MenuItem[] = listed
    .filter(isAvailable)
    .map(({ id, title, run }) => ({ id, title: PHONE_TITLES[id] ?? title, run }));
  return (
    <header className={styles.phone}>
      {gallery ? (
        <span className={styles.icon}>
          <Logo />
        </span>
      ) : (
        <a className={styles.icon} href={formatFragment(GALLERY)} aria-label="Back to the gallery">
          <Icon name="back" size={20} />
        </a>
      )}
      <div className={styles.names}>
        <h1 title={heading.title}>{gallery ? 'Busyard' : heading.title}</h1>
        <em>{[heading.system, heading.note].filter(Boolean).join(', ')}</em>
        <Toasts />
      </div>
      <Menu label="Menu" items={items} className={styles.icon}>
        <Icon name="menu" size={20} />
      </Menu>
    </header>
  );
}

/** The top bar of projector mode: a large title, and the keys of the clicker. */
export function LectureBar({ heading }: { readonly heading: Heading }) {
  const keys = useStore(commands).filter((command) => command.brief && isAvailable(command));
  return (
    <header className={styles.lecture}>
      <Logo />
      <h1 title={heading.title}>{heading.title}</h1>
      {heading.note && <span className={styles.note}>{heading.note}</span>}
      <Toasts />
      <div className={styles.keys}>
        {keys.map((command) => (
          <button type="button" key={command.id} onClick={() => command.run()}>
            <Kbd keys={command.keys?.[0] ?? ''} />
            {command.brief}
          </button>
        ))}
      </div>
    </header>
  );
}
