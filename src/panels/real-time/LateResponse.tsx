import { count, text, time } from '../../base/format';
import { packetDeadline } from '../../controllers/machine-features';
import { useCommands } from '../../controllers/useCommands';
import { useFrameValue, useRun } from '../../controllers/useRun';
import { type LateStory, lateStory } from '../../model/realtime/lateness';
import type { Response } from '../../model/realtime/realtime-log';
import { player } from '../../model/session/open-run';
import { Button, IconButton } from '../../widgets/Button';
import { EmptyState } from '../../widgets/Feedback';
import { SealedPart } from '../../widgets/Masked';
import { Narrative } from '../../widgets/Narrative';
import { Panel } from '../../widgets/Panel';
import { lateResponseNow, missedCount, toMissedDeadline } from './groups';
import styles from './RealTime.module.css';
import { hidesRealTime, realTimeNow, useHidesRealTime } from './realtime-now';

let cached: { late: Response | null; story: LateStory | null } = { late: null, story: null };

/** The last late response up to the playhead; the same object while it is the same. */
function storyNow(): LateStory | null {
  const [now, late] = [realTimeNow(), lateResponseNow()];
  if (late === cached.late) return cached.story;
  const story = now && late && lateStory(now.log, now.trace, late, packetDeadline() ?? 0);
  cached = { late, story };
  return story;
}

const ASKED = ['late', 'latency', 'latency_most', 'missed', 'response_most'];

const anyMissed = (): boolean =>
  player.trace() !== null && !hidesRealTime(...ASKED) && missedCount() > 0;

/** Why a deadline was missed: where the time went, who had the processor, which interrupts caused it. */
export default function LateResponse() {
  useRun();
  const sealed = useHidesRealTime(...ASKED);
  const allowed = packetDeadline();
  const story = useFrameValue(storyNow);
  const missed = useFrameValue(missedCount);
  useCommands([
    {
      id: 'deadline.next',
      title: 'Next missed deadline',
      section: 'Time',
      keys: ['Shift+N'],
      when: anyMissed,
      run: () => toMissedDeadline(1),
    },
    {
      id: 'deadline.previous',
      title: 'Previous missed deadline',
      section: 'Time',
      keys: ['Shift+P'],
      when: anyMissed,
      run: () => toMissedDeadline(-1),
    },
  ]);
  return (
    <Panel
      title="Why late?"
      scroll
      tools={
        sealed || (
          <>
            <IconButton
              icon="previous"
              label="Previous missed deadline"
              keys="Shift+P"
              onClick={() => toMissedDeadline(-1)}
            />
            <IconButton
              icon="next"
              label="Next missed deadline"
              keys="Shift+N"
              onClick={() => toMissedDeadline(1)}
            />
          </>
        )
      }
    >
      {sealed ? (
        <>
          {allowed !== null && (
            <p className={styles.allowed}>A packet is late after {text(time(allowed, 3))}.</p>
          )}
          <SealedPart what="what was late, and why" />
        </>
      ) : story ? (
        <>
          <h3 className={styles.question}>{story.question}</h3>
          <Narrative sentences={story.sentences} />
        </>
      ) : (
        <EmptyState title={missed > 0 ? 'Nothing has been late so far.' : 'No deadline is missed.'}>
          {missed > 0 && (
            <Button look="link" onClick={() => toMissedDeadline(1)}>
              Go to the first of {count(missed, 'missed deadline')}
            </Button>
          )}
        </EmptyState>
      )}
    </Panel>
  );
}
