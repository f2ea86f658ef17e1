import { integer } from '../../base/format';
import { session } from '../../model/session';
import { Menu, type MenuItem } from '../../widgets/Menu';
import { useRun } from '../../widgets/useRun';
import { useStore } from '../../widgets/useStore';
import styles from './Transport.module.css';

/** Events at which playing stops: one kind of those that the run has. `S` goes to the next one at once. */
export function StopChoice() {
  const player = useRun();
  const machine = useStore(session, (state) => state.machine);
  const stopAt = useStore(player.state, (state) => state.stopAt);
  const recorded = useStore(player.state, (state) => state.recorded);
  const types = [...new Set(machine?.parts.map(({ type }) => type))];
  const titleOf = (kind: number | null) =>
    types.flatMap(({ events }) => events).find((event) => event.kind === kind)?.name;
  const chosen = titleOf(stopAt)?.replaceAll('_', ' ');

  function items(): MenuItem[] {
    const tally = recorded > 0 ? player.trace()?.tally() : undefined;
    const never: MenuItem = { id: 'never', title: 'Never', run: () => player.setStop(null) };
    const events = types.flatMap(({ title, events }) =>
      events.flatMap(({ kind, name }) => {
        const times = tally?.get(kind);
        if (!times) return [];
        const run = () => player.setStop(kind);
        const words = `${title}: ${name.replaceAll('_', ' ')}`;
        return [{ id: String(kind), title: words, hint: integer(times), run }];
      }),
    );
    return [...(stopAt === null ? [] : [never]), ...events];
  }

  return (
    <Menu
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
  );
}
