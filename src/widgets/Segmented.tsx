import styles from './Segmented.module.css';

interface SegmentedProps<T extends string> {
  readonly label: string;
  readonly options: readonly {
    readonly value: T;
    readonly title: string;
    readonly hint?: string;
  }[];
  readonly value: T;
  onChange(value: T): void;
}

/** A choice of a few values: native radio buttons drawn as one strip, so arrow keys work. */
export function Segmented<T extends string>(props: SegmentedProps<T>) {
  const { label, options, value, onChange } = props;
  return (
    <fieldset className={styles.segmented} aria-label={label}>
      {options.map((option) => (
        <label key={option.value} title={option.hint} data-on={option.value === value || undefined}>
          <input
            className="visually-hidden"
            type="radio"
            name={label}
            value={option.value}
            checked={option.value === value}
            onChange={() => onChange(option.value)}
          />
          {option.title}
        </label>
      ))}
    </fieldset>
  );
}
