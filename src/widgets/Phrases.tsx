import type { Phrase } from '../draw/phrase';
import styles from './Phrases.module.css';

/** The phrases of a sentence under a picture. */
export function Phrases({ phrases }: { readonly phrases: readonly Phrase[] }) {
  return phrases.map(({ text, strong, bad }, at) =>
    strong || bad ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: phrases have no identity but their place
      <b key={at} className={styles.phrase} data-bad={bad || undefined}>
        {text}
      </b>
    ) : (
      text
    ),
  );
}
