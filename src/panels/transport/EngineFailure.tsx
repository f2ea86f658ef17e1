import { useRun } from '../../controllers/useRun';
import { useStore } from '../../controllers/useStore';
import { Button } from '../../widgets/Button';
import styles from './Transport.module.css';

/** The engine stopped: the reason, and a way to continue. The session is kept. */
export function EngineFailure() {
  const player = useRun();
  const failure = useStore(player.state, (state) => state.failure);
  if (failure === null) return null;
  return (
    <div className={`${styles.long} ${styles.failure}`} role="alert">
      <p>
        <b>The run stopped.</b> {failure} The session is kept.
      </p>
      <Button size="small" onClick={() => player.reopen()}>
        Reload the engine
      </Button>
    </div>
  );
}
