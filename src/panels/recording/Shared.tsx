import { percent } from '../../base/format';
import { type Problem, placeOf } from '../../model/scenario/problems';
import { ErrorNotice } from '../../widgets/Feedback';
import styles from './Recording.module.css';

interface ProgressProps {
  readonly done: number;
  readonly doing?: string;
}

export function Progress({ done, doing = 'Replaying' }: ProgressProps) {
  return (
    <label className={styles.progress}>
      {doing}, {percent(100 * done)}
      <progress value={done} max={1} />
    </label>
  );
}

export function Failure({ problems }: { readonly problems: readonly Problem[] }) {
  const [first] = problems;
  return (
    <ErrorNotice
      title="The recording cannot be replayed"
      place={first && placeOf(first)}
      detail={first?.message}
    />
  );
}

export function Notes({ notes }: { readonly notes: readonly string[] }) {
  if (notes.length === 0) return null;
  return (
    <ul className={styles.notes}>
      {notes.map((note) => (
        <li key={note}>{note}.</li>
      ))}
    </ul>
  );
}

export const optionsOf = (values: readonly string[]) =>
  values.map((value) => ({ value, title: value }));
