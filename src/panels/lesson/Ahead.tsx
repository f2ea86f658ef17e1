import { useFrameValue } from '../../controllers/useRun';
import { useStore } from '../../controllers/useStore';
import { decisionTime, justShows, laterQuestion } from '../../model/lesson/answer-mask';
import { player } from '../../model/session/open-run';
import { Button } from '../../widgets/Button';
import styles from './Question.module.css';

/** The run has been played up to where a later step asks what happens next: one can go there, or see it all. */
export function Ahead({ goTo }: { goTo(step: number): void }) {
  const step = useStore(laterQuestion, (later) => later.step);
  const limitPs = useStore(decisionTime, ({ ps }) => ps);
  const isThere = useFrameValue(() => limitPs !== null && player.now().timePs >= limitPs);
  if (step === null || !isThere) return null;
  return (
    <div role="status">
      <p className={styles.running}>The run stops here: step {step + 1} asks what happens next.</p>
      <div className={styles.actions}>
        <Button size="small" onClick={() => goTo(step)}>
          Go to step {step + 1}
        </Button>
        <Button
          look="link"
          onClick={({ currentTarget }) => {
            // The button disappears; the focus stays with the text.
            currentTarget.closest<HTMLElement>('[tabindex]')?.focus();
            justShows.setState({ on: true });
          }}
        >
          Just show me
        </Button>
      </div>
    </div>
  );
}
