import { text } from '../base/format';
import { runTime } from '../controllers/useRun';
import { player } from '../model/session/open-run';
import { point, select } from '../model/session/selection';
import styles from './Narrative.module.css';

interface StorySentence {
  readonly text: string;
  /** Moment and record of the sentence; null if it holds for the whole run. */
  readonly at: { readonly timePs: number; readonly seq: number } | null;
}

/** An explanation in numbered sentences, the root cause last. A sentence with a moment links to it. */
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
