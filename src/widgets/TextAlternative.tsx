import type { ReactNode } from 'react';
import styles from './TextAlternative.module.css';

interface TextTextAlternativeProps {
  /** One sentence on what the picture shows as a whole. */
  readonly summary?: ReactNode;
  /** Its events or facts as sentences, in the order of the story. */
  readonly sentences?: readonly ReactNode[];
  /** Or whatever says it best, usually a Table. */
  readonly children?: ReactNode;
}

/** The same contents as the picture, for reading, for screen readers and for tests. */
export function TextAlternative({ summary, sentences, children }: TextTextAlternativeProps) {
  return (
    <div className={styles.textAlternative}>
      {summary && <p>{summary}</p>}
      {sentences && sentences.length > 0 && (
        <ol>
          {sentences.map((sentence, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: sentences have no identity but their place
            <li key={index}>{sentence}</li>
          ))}
        </ol>
      )}
      {children}
    </div>
  );
}
