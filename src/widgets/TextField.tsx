import { useEffect, useRef, useState } from 'react';
import styles from './TextField.module.css';

interface TextFieldProps {
  readonly label: string;
  readonly value: string;
  /** At every letter, for who keeps what is not accepted yet; null where it is given up. */
  onType?(value: string | null): void;
  onCommit(value: string): void;
}

/** Enter and leaving the field accept; Escape and an empty field bring the old text back. */
export function TextField(props: TextFieldProps) {
  const { label, value, onType } = props;
  const [draft, setDraft] = useState<string | null>(null);
  const typed = useRef<string | null>(null);
  const write = (text: string | null) => {
    typed.current = text;
    setDraft(text);
  };
  const accept = () => {
    const next = typed.current?.trim();
    if (typed.current === null) return;
    write(null);
    if (next && next !== value) props.onCommit(next);
    else onType?.(null);
  };
  const latest = useRef(accept);
  latest.current = accept;
  // A field that goes with what it is about is left as well.
  useEffect(() => () => latest.current(), []);
  return (
    <input
      className={styles.field}
      aria-label={label}
      value={draft ?? value}
      onChange={({ target }) => {
        write(target.value);
        const next = target.value.trim();
        onType?.(next && next !== value ? next : null);
      }}
      onBlur={accept}
      onKeyDown={(event) => {
        if (event.key === 'Enter') accept();
        if (event.key === 'Escape' && draft !== null) {
          event.stopPropagation();
          write(null);
          onType?.(null);
        }
      }}
    />
  );
}
