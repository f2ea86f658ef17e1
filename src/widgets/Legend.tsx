import styles from './Legend.module.css';

interface LegendProps {
  readonly kinds: readonly { readonly kind: string; readonly title: string }[];
  /** Says how each kind looks: `li[data-kind]::before`. */
  readonly className: string | undefined;
}

/** What the marks of a drawing mean, in a line below it. */
export function Legend({ kinds, className }: LegendProps) {
  return (
    <ul className={`${styles.legend} ${className}`}>
      {kinds.map(({ kind, title }) => (
        <li key={kind} data-kind={kind}>
          {title}
        </li>
      ))}
    </ul>
  );
}
