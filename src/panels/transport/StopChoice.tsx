import { integer } from '../../base/format';
import { useHidesFuture } from '../../controllers/useAnswerMask';
import { useRun } from '../../controllers/useRun';
import { useStore } from '../../controllers/useStore';
import { session } from '../../model/session/session';
import { Menu, type MenuItem } from '../../widgets/Menu';
import { STOP_CHOICE } from './commands';
import styles from './Transport.module.css';

/** The sentence of any such event, without the values that differ between events. */
const anyOf = (sentence: string, part: string): string =>
  sentence
    .replaceAll('{part}', part)
    .replace(/\{\w+(?::[^|}]*\|([^}]*))?\}/g, (_, many?: string) => many ?? '…')
    .replace(/\.$/, '');

/** Chooses a kind of event at which playing stops. `S` goes to the next one. */
export function StopChoice() {
  const player = useRun();
  const machine = useStore(session, (state) => state.machine);
  const stopAt = useStore(player.state, (state) => state.stopAt);
  const recorded = useStore(player.state, (state) => state.recorded);
  const ahead = useHidesFuture();
  const types = [...new Set(machine?.parts.map(({ type }) => type))];
  const events = types.flatMap(({ title, events: own }) =>
    own.map(({ kind, text }) => ({ kind, words: anyOf(text, title) })),
  );
  const chosen = events.find(({ kind }) => kind === stopAt)?.words;

  function items(): MenuItem[] {
    const tally = recorded > 0 ? player.trace()?.tally() : undefined;
    const never: MenuItem = { id: 'never', title: 'Never', run: () => player.setStop(null) };
    const found = events.flatMap(({ kind, words }): MenuItem[] => {
      const times = tally?.get(kind);
      const run = () => player.setStop(kind);
      if (ahead) return [{ id: String(kind), title: words, run }];
      return times ? [{ id: String(kind), title: words, hint: integer(times), run }] : [];
    });
    return [...(stopAt === null ? [] : [never]), ...found];
  }

  return (
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
  );
}
