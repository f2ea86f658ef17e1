import { useEffect } from 'react';
import { runCommand } from '../../base/commands';
import { integer } from '../../base/format';
import { runTime, useFrameValue, useRun } from '../../controllers/useRun';
import { useStore } from '../../controllers/useStore';
import { shownQuestion, stepShown } from '../../model/lesson/answer-mask';
import { moreLikeNow } from '../../model/lesson/lecture';
import { player } from '../../model/session/open-run';
import { currentEvent, currentEventSentence } from '../../model/session/presented-event';
import { point } from '../../model/session/selection';
import { session } from '../../model/session/session';
import { Button } from '../../widgets/Button';
import { Panel } from '../../widgets/Panel';
import styles from './Caption.module.css';

const NUMBERS = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];

const moreText = (more: number): string => `${NUMBERS[more - 1] ?? integer(more)} more like it`;

/** Marks the part of the present event in every drawing, as if the pointer were on it. */
function usePointedPart(): void {
  const part = useFrameValue(() => player.trace()?.record(currentEvent() ?? 0)?.part ?? null);
  useEffect(() => {
    point({ part });
    return () => point({});
  }, [part]);
}

/** For the projector: the present event in one sentence, and its time. */
export default function Caption() {
  useRun();
  const time = useFrameValue(() => runTime(player.now().timePs).value);
  const unit = useFrameValue(() => runTime(player.now().timePs).unit);
  useStore(stepShown);
  const asks = useStore(session, shownQuestion) !== null;
  const sentence = useFrameValue(currentEventSentence);
  const more = useFrameValue(moreLikeNow);
  usePointedPart();
  return (
    <Panel title="What happens now" bare>
      <div className={styles.caption}>
        <div className={styles.time}>
          {time}
          <small>{unit}</small>
        </div>
        <p>
          {sentence ? <mark>{sentence}</mark> : 'The run is at its start.'}
          {more > 0 && <small>{moreText(more)}, skipped by →</small>}
        </p>
        {asks && (
          <Button look="primary" onClick={() => runCommand('room.ask')}>
            Ask the room
          </Button>
        )}
      </div>
    </Panel>
  );
}
