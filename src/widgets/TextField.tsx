import { useState } from 'react';
import styles from './TextField.module.css';

/** Enter and leaving the field accept; an empty field brings the old text back. */
export function TextField(props: {
  readonly label: string;
  readonly value: string;
  onCommit(value: string): void;
}) {
  const { label, value, onCommit } = props;
  const [draft, setDraft] = useState<string | null>(null);
  const accept = () => {
    const next = draft?.trim();
    setDraft(null);
    if (next && next !== value) onCommit(next);
  };
  return (
    <input
      className={styles.field}
      aria-label={label}
      value={draft ?? value}
      onChange={(event) => setDraft(event.target.value)}
      onBlur={accept}
      onKeyDown={(event) => {
        if (event.key === 'Enter') accept();
        if (event.key === 'Escape' && draft !== null) {
          event.stopPropagation();
          setDraft(null);
        }
      }}
    />
  );
}
