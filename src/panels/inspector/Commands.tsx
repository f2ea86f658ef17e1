import { count } from '../../base/format';
import { useStore } from '../../controllers/useStore';
import { type CompiledMachine, paramAt, shownValue } from '../../model/scenario/compiled';
import { player } from '../../model/session/open-run';
import { session } from '../../model/session/session';
import { Button } from '../../widgets/Button';
import { Section } from '../../widgets/Section';
import styles from './Inspector.module.css';

/** Changes during this run, in order of time. */
export function Commands({ machine }: { readonly machine: CompiledMachine }) {
  const commands = useStore(session, (state) => state.commands);
  if (commands.length === 0) return null;
  return (
    <Section title="Changed during the run" aside={count(commands.length, 'change')}>
      <ol className={styles.commands}>
        {commands.map(({ at, param, value }) => (
          <li key={`${at} ${param}`}>
            <Button look="link" onClick={() => player.toEvents(at)}>
              after {count(at, 'event')}
            </Button>
            <span>
              {paramAt(machine, param)?.spec.title ?? param} becomes{' '}
              <b>{shownValue(machine, param, value)}</b>
            </span>
          </li>
        ))}
      </ol>
    </Section>
  );
}
