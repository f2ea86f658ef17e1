import { formatFragment } from '../../base/route';
import { shell } from '../../base/shell-state';
import { itemRoute, playlists } from '../../model/lesson/playlists';
import { listScenarios } from '../../model/scenario/scenarios';
import styles from './Lectures.module.css';

const titleOf = (id: string): string =>
  listScenarios().find((entry) => entry.id === id)?.title ?? id;

/** Lectures of several lessons; a link opens the first on the projector. */
export function Lectures() {
  return (
    <ul className={styles.lectures}>
      {playlists.map(({ id, title, items }) => (
        <li key={id}>
          <a
            href={formatFragment(itemRoute(id, items[0]?.scenario ?? ''))}
            onClick={() => shell.setState({ lecture: true })}
          >
            {title}
          </a>
          <ol>
            {items.map(({ scenario, minutes }) => (
              <li key={scenario}>
                {titleOf(scenario)} <small>{minutes} min</small>
              </li>
            ))}
          </ol>
        </li>
      ))}
    </ul>
  );
}
