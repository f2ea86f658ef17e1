import { text } from '../base/format';
import { runTime } from '../controllers/useRun';
import { player } from '../model/session/open-run';
import { point, select } from '../model/session/selection';
import styles from './Narrative.module.css';

interface StorySentence {
  readonly text: string;
  /** When, and which record; null for what is true of the whole time. */
  readonly at: { readonly timePs: number; readonly seq: number } | null;
}

/** An explanation in numbered sentences, the root last; a sentence with a moment leads there. */
export function Narrative({ sentences }: { readonly sentences: readonly StorySentence[] }) {
  return (
    <ol className={styles.story}>
      {sentences.map(({ text: sentence, at }) => (
        <li key={sentence}>
          {at ? (
            <button
              type="button"
              onClick={() => {
                player.pause();
                select({ event: at.seq });
                void player.toTime(at.timePs);
              }}
              onPointerEnter={() => point({ event: at.seq })}
              onPointerLeave={() => point({})}
            >
              <span>{sentence}</span>
              <time>{text(runTime(at.timePs))}</time>
            </button>
          ) : (
            <span>{sentence}</span>
          )}
        </li>
      ))}
    </ol>
  );
}
