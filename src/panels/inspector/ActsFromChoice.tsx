import { useStore } from '../../controllers/useStore';
import type { CompiledParam } from '../../model/scenario/compiled';
import { Segmented } from '../../widgets/Segmented';
import { type ActsFrom, actsFrom, isLive } from './acts-from';
import styles from './Inspector.module.css';

const OPTIONS: readonly {
  readonly value: ActsFrom;
  readonly title: string;
  readonly hint: string;
}[] = [
  {
    value: 'start',
    title: 'from the start',
    hint: 'The complete run has the new value. The machine is rerun to the same time.',
  },
  {
    value: 'here',
    title: 'from here',
    hint: 'The run keeps the old value up to the playhead. The time bar marks the change. Parameters that cannot change while the machine runs still change from the start.',
  },
];

/** Chooses where changes of the parameters below apply; nothing if none of them may change during the run. */
export function ActsFromChoice({ params }: { readonly params: readonly CompiledParam[] }) {
  const { from } = useStore(actsFrom);
  if (!params.some(isLive)) return null;
  return (
    <div className={styles.actsFrom}>
      <span>Changes act</span>
      <Segmented
        label="Changes act"
        options={OPTIONS}
        value={from}
        onChange={(next) => actsFrom.setState({ from: next })}
      />
    </div>
  );
}
