import { type ErrorMark, markPath } from '../../draw/report/report';
import styles from './Mark.module.css';

interface MarkProps {
  readonly mark: ErrorMark;
  readonly y: number;
}

/** The mark of one row on the error scale. */
export function Mark({ mark: { x, role, bad, offScale }, y }: MarkProps) {
  return (
    <path
      d={markPath(role, x, y, offScale)}
      className={styles.mark}
      data-hollow={role === 'calibrated' || undefined}
      data-quiet={role === 'context' || role === 'structural' || undefined}
      data-bad={bad || undefined}
    />
  );
}

interface ScaleProps {
  readonly marks: readonly ErrorMark[];
  readonly y: number;
}

/** Marks of several rows, in painting order. */
export function Marks({ marks, y }: ScaleProps) {
  return marks.map((mark, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: marks have no identity but their index
    <Mark key={index} mark={mark} y={y} />
  ));
}
