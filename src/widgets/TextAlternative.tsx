import type { ReactNode } from 'react';
import styles from './TextAlternative.module.css';

interface TextAlternativeProps {
  /** One sentence on the picture as a whole. */
  readonly summary?: ReactNode;
  /** Its events or facts as sentences, in order. */
  readonly sentences?: readonly ReactNode[];
  /** Other contents, usually a Table. */
  readonly children?: ReactNode;
}

/** The contents of a picture as text, for reading, screen readers and tests. */
export function TextAlternative({ summary, sentences, children }: TextAlternativeProps) {
  return (
    <div className={styles.textAlternative}>
      {summary && <p>{summary}</p>}
      {sentences && sentences.length > 0 && (
        <ol>
          {sentences.map((sentence, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: sentences have no identity but their index
            <li key={index}>{sentence}</li>
          ))}
        </ol>
      )}
      {children}
    </div>
  );
}
