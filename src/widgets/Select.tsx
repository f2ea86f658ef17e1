import { type ReactNode, useId } from 'react';
import { Icon } from './Icon';
import styles from './Select.module.css';

interface SelectProps<T extends string> {
  readonly label: string;
  readonly options: readonly { readonly value: T; readonly title: string }[];
  readonly value: T;
  onChange(value: T): void;
  /** Shows the label before the field; otherwise it is for screen readers only. */
  readonly showLabel?: boolean;
  /** Shown in place of the label text: words with tooltips are controls of their own. */
  readonly words?: ReactNode;
}

export function Select<T extends string>(props: SelectProps<T>) {
  const { label, options, value, onChange, showLabel, words } = props;
  const id = useId();
  const box = (
    <span className={styles.box}>
      <select
        id={id}
        aria-label={words === undefined ? undefined : label}
        value={value}
        onChange={(event) => onChange(event.target.value as T)}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.title}
          </option>
        ))}
      </select>
      <Icon name="down" size={12} />
    </span>
  );
  if (words !== undefined)
    return (
      <span className={styles.field}>
        <span className={styles.label}>{words}</span>
        {box}
      </span>
    );
  return (
    <label className={styles.field} htmlFor={id}>
      <span
        className={showLabel ? styles.label : 'visually-hidden'}
        title={showLabel ? label : undefined}
      >
        {label}
      </span>
      {box}
    </label>
  );
}
