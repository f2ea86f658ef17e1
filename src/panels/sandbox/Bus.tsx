import { useStore } from '../../controllers/useStore';
import { busEvents } from '../../model/sandbox/sandbox-text';
import { ActorSign } from '../../widgets/ActorSign';
import styles from './Bus.module.css';
import common from './common.module.css';
import { play } from './sandbox-state';

const SNOOPS = {
  none: 'processors snoop, the adapter does not',
  snooped: 'processors and the adapter snoop',
  coherent: 'processors and the adapter snoop',
} as const;

/** The actor of a transaction, by its master. */
const ACTORS = { cpu0: 'cpu', cpu1: 'cpu', driver: 'cpu', disk: 'disk' } as const;

/** The step's last transaction about a line, and its responses. */
export function Bus() {
  const { run, shown, rules, userSteps } = useStore(play);
  const events = run ? busEvents(run, shown) : [];
  const starts = events.filter(
    ({ name, part }) => name === 'start' && run?.machine.parts[part]?.name === 'runway',
  );
  const last = starts.findLast(({ sentence }) => !/return|WRITE4|three register/.test(sentence));
  const sentence = last?.sentence.replace(/^Bus: /, '').replace(/ at .* for .*$/, '');
  const actor = ACTORS[userSteps[shown - 1]?.who ?? 'cpu0'];
  return (
    <div className={styles.bus}>
      <b>Bus</b>
      <span className={common.quiet}>{SNOOPS[rules.adapter]}</span>
      {sentence && (
        <code className={styles.packet} data-actor={actor}>
          <ActorSign actor={actor} size={12} /> {sentence}
        </code>
      )}
      {!sentence && <span className={`${styles.none} ${common.quiet}`}>nothing about a line</span>}
    </div>
  );
}
