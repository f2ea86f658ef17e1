import { useEffect, useRef, useState } from 'react';
import styles from './TextField.module.css';

interface TextFieldProps {
  readonly label: string;
  readonly value: string;
  /**
   * Called with every input, for drafts that are saved before they are accepted; null when the draft is
   * discarded.
   */
  onType?(value: string | null): void;
  onCommit(value: string): void;
}

/** Enter and blur accept; Escape or an empty field restores the old text. */
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
  // Unmounting a field counts as leaving it.
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
