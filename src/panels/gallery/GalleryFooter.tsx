import { useState } from 'react';
import { commands, isAvailable } from '../../base/commands';
import { count, dayOf, integer } from '../../base/format';
import {
  MAX_RECENT_SESSIONS,
  type RecentSession,
  recentSessions,
  recentSessionsError,
  request,
} from '../../base/recent';
import { useStore } from '../../controllers/useStore';
import type { ScenarioEntry } from '../../model/scenario/scenarios';
import { answers, tallyOf } from '../../model/session/answers';
import { Button } from '../../widgets/Button';
import { Icon } from '../../widgets/Icon';
import styles from './GalleryFooter.module.css';
import { linkTo } from './linkTo';
import { SYSTEMS } from './systems';

const SHORT_LIST = 4;

export function Recent() {
  const sessions = useStore(recentSessions);
  const trouble = useStore(recentSessionsError);
  const [all, setAll] = useState(false);
  const shown = all ? sessions : sessions?.slice(0, SHORT_LIST);
  const more = (sessions?.length ?? 0) > SHORT_LIST;
  return (
    <section>
      <h3 className={styles.heading}>
        Recent work
        {more && (
          <Button look="link" onClick={() => setAll(!all)}>
            {all ? 'Fewer' : 'All sessions'}
          </Button>
        )}
      </h3>
      {trouble && (
        <p className={styles.trouble} role="alert">
          {trouble}
        </p>
      )}
      {shown?.length === 0 && !trouble && (
        <p className={styles.none}>
          Change anything in a run and it is kept here, in this browser.
        </p>
      )}
      <ul>
        {shown?.map(({ id, title, system, savedAt, changes }) => (
          <li key={id} className={styles.session}>
            <button
              type="button"
              className={styles.sessionTitle}
              onClick={() => request({ kind: 'open-recent', id })}
            >
              <b>{title}</b> {system}
            </button>
            <span className={styles.changes}>{count(changes, 'change')}</span>
            <When savedAt={savedAt} />
            <button
              type="button"
              className={styles.forget}
              aria-label={`Delete ${title}`}
              title="Delete"
              onClick={() => request({ kind: 'forget-recent', ids: [id] })}
            >
              <Icon name="close" size={12} />
            </button>
          </li>
        ))}
      </ul>
      <Surplus sessions={sessions ?? []} />
    </section>
  );
}

function When({ savedAt }: { readonly savedAt: number }) {
  if (savedAt === 0) return <span className={styles.when}>no date</span>;
  const when = new Date(savedAt);
  return (
    <time className={styles.when} dateTime={when.toISOString()}>
      {dayOf(when, new Date())}
    </time>
  );
}

/** Many saved sessions are harmless; the list can be shortened. */
function Surplus({ sessions }: { readonly sessions: readonly RecentSession[] }) {
  const oldest = sessions.slice(MAX_RECENT_SESSIONS);
  if (oldest.length === 0) return null;
  return (
    <p className={styles.none}>
      All {sessions.length} are kept until you delete them.{' '}
      <Button
        look="link"
        onClick={() => request({ kind: 'forget-recent', ids: oldest.map(({ id }) => id) })}
      >
        Delete the oldest {oldest.length}
      </Button>
    </p>
  );
}

const FEW_BELIEFS = 6;

/** The first misconception of each system, then the second of each, and so on. */
function inTurn(scenarios: readonly ScenarioEntry[]): ScenarioEntry[] {
  const bySystem = SYSTEMS.map(({ id }) =>
    scenarios.filter(({ belief, system }) => belief && system === id),
  );
  const most = Math.max(0, ...bySystem.map((entries) => entries.length));
  return Array.from({ length: most }, (_, i) =>
    bySystem.flatMap((entries) => entries[i] ?? []),
  ).flat();
}

export function Misconceptions({ scenarios }: { readonly scenarios: readonly ScenarioEntry[] }) {
  const beliefs = inTurn(scenarios).slice(0, FEW_BELIEFS);
  if (beliefs.length === 0) return null;
  const titleOf = (id: string) => SYSTEMS.find((system) => system.id === id)?.title ?? '';
  return (
    <section>
      <h3 className={styles.heading}>
        Beliefs to break
        <AnsweredCount scenarios={scenarios} />
      </h3>
      <ul>
        {beliefs.map((entry) => (
          <li key={entry.id}>
            <a className={styles.belief} href={linkTo(entry)}>
              <i>{entry.belief}</i>
              <span className={styles.aside}>{titleOf(entry.system)}</span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** How many questions of all lessons were answered, and how many correctly. */
function AnsweredCount({ scenarios }: { readonly scenarios: readonly ScenarioEntry[] }) {
  const { answered, right } = tallyOf(useStore(answers));
  const all = scenarios.reduce((sum, { questions }) => sum + questions, 0);
  if (answered === 0) return null;
  return (
    <span className={styles.aside}>
      {integer(answered)} of {integer(all)} questions answered, {integer(right)} predicted
    </span>
  );
}

/** Tools are the commands of the section "Go to", which need no scenario. */
export function Tools() {
  const tools = useStore(commands).filter(
    (command) => command.section === 'Go to' && isAvailable(command),
  );
  if (tools.length === 0) return null;
  return (
    <section>
      <h3 className={styles.heading}>Tools</h3>
      <ul>
        {tools.map(({ id, title, hint, run }) => (
          <li key={id}>
            <button type="button" className={styles.tool} onClick={() => run()}>
              {title}
              <span className={styles.aside}>{hint}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
