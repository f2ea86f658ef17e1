import { Icon } from './Icon';
import styles from './Select.module.css';

interface SelectProps<T extends string> {
  readonly label: string;
  readonly options: readonly { readonly value: T; readonly title: string }[];
  readonly value: T;
  onChange(value: T): void;
  /** Shows the label before the field; else it is only spoken. */
  readonly showLabel?: boolean;
}

export function Select<T extends string>(props: SelectProps<T>) {
  const { label, options, value, onChange, showLabel } = props;
  return (
    <label className={styles.field}>
      <span
        className={showLabel ? styles.label : 'visually-hidden'}
        title={showLabel ? label : undefined}
      >
        {label}
      </span>
      <span className={styles.box}>
        <select value={value} onChange={(event) => onChange(event.target.value as T)}>
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.title}
            </option>
          ))}
        </select>
        <Icon name="down" size={12} />
      </span>
    </label>
  );
}
