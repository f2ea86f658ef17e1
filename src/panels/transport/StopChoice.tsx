import { Suspense } from 'react';
import { runCommand } from '../../base/commands';
import { count, integer } from '../../base/format';
import { useHidesFuture } from '../../controllers/useAnswerMask';
import { useRun } from '../../controllers/useRun';
import { useStore } from '../../controllers/useStore';
import { session } from '../../model/session/session';
import { sentenceOfAny } from '../../model/trace/event-text';
import { loadable } from '../../widgets/loadable';
import { Menu, type MenuItem } from '../../widgets/Menu';
import { STOP_CHOICE } from './commands';
import styles from './Transport.module.css';

const Stops = loadable(() => import('./Stops'));

const ROW = /^\(part=(\S+) begins:[\d-]+\)$/;

/** Rows at which playing stops, such as "2 rows of CPU 0"; null for any other query. */
function rowsText(query: string, parts: readonly { name: string; title: string }[]): string | null {
  const names = query.split(' OR ').map((one) => ROW.exec(one)?.[1]);
  const owners = [...new Set(names)].map((name) => parts.find((part) => part.name === name)?.title);
  return names.includes(undefined) ? null : `${count(names.length, 'row')} of ${owners.join(', ')}`;
}

/** Chooses at which events playing stops. `S` goes to the next one. */
export function StopChoice() {
  const player = useRun();
  const machine = useStore(session, (state) => state.machine);
  const stopAt = useStore(player.state, (state) => state.stopAt);
  const recorded = useStore(player.state, (state) => state.recorded);
  const ahead = useHidesFuture();
  const types = [...new Set(machine?.parts.map(({ type }) => type))];
  const events = types.flatMap(({ name, title, events: own }) =>
    own.map((event) => ({
      kind: event.kind,
      query: `kind=${name}.${event.name}`,
      words: sentenceOfAny(event, title),
    })),
  );
  const chosen =
    stopAt &&
    (events.find(({ query }) => query === stopAt)?.words ??
      rowsText(stopAt, machine?.parts ?? []) ??
      stopAt);

  function items(): MenuItem[] {
    const tally = recorded > 0 ? player.trace()?.tally() : undefined;
    const never: MenuItem = { id: 'never', title: 'Never', run: () => player.setStop(null) };
    const found = events.flatMap(({ kind, query, words }): MenuItem[] => {
      const times = tally?.get(kind);
      const run = () => player.setStop(query);
      if (ahead) return [{ id: query, title: words, run }];
      return times ? [{ id: query, title: words, hint: integer(times), run }] : [];
    });
    const own: MenuItem = {
      id: 'own',
      title: 'A condition of your own…',
      hint: 'search',
      run: () => void setTimeout(() => runCommand('events.find')),
    };
    return [...(stopAt === null ? [] : [never]), ...found, own];
  }

  return (
    <>
      {stopAt !== null && (
        <Suspense fallback={null}>
          <Stops />
        </Suspense>
      )}
      <Menu
        id={STOP_CHOICE}
        label={chosen ? `Stops at: ${chosen}` : 'Stop when'}
        items={items}
        className={styles.stop}
      >
        {chosen ? (
          <>
            stops at <b>{chosen}</b>
          </>
        ) : (
          'Stop when…'
        )}
      </Menu>
    </>
  );
}
