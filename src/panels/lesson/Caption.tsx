import { runCommand } from '../../base/commands';
import { runTime, useFrameValue, useRun } from '../../controllers/useRun';
import { useStore } from '../../controllers/useStore';
import { shownQuestion, stepShown } from '../../model/lesson/answer-mask';
import { currentEventSentence } from '../../model/session/presented-event';
import { session } from '../../model/session/session';
import { Button } from '../../widgets/Button';
import { Panel } from '../../widgets/Panel';
import styles from './Caption.module.css';

/** For the projector: the present event in one sentence, and its time. */
export default function Caption() {
  const player = useRun();
  const time = useFrameValue(() => runTime(player.now().timePs).value);
  const unit = useFrameValue(() => runTime(player.now().timePs).unit);
  useStore(stepShown);
  const asks = useStore(session, shownQuestion) !== null;
  const sentence = useFrameValue(currentEventSentence);
  return (
    <Panel title="What happens now" bare>
      <div className={styles.caption}>
        <div className={styles.time}>
          {time}
          <small>{unit}</small>
        </div>
        <p>{sentence || 'The run is at its start.'}</p>
        {asks && (
          <Button look="primary" onClick={() => runCommand('room.ask')}>
            Ask the room
          </Button>
        )}
      </div>
    </Panel>
  );
}
