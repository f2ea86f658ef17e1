import { useEffect, useState } from 'react';
import { useRun } from '../../controllers/useRun';
import styles from './Transport.module.css';

/** The state is hashed when the playhead has rested this long. */
const REST_MS = 120;

/** The digest of all simulated state at the playhead: equal digests mean equal machines. */
export function StateHash() {
  const player = useRun();
  const [hash, setHash] = useState('');
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    let alive = true;
    const read = async () => {
      const { status, playing } = player.state.getState();
      if (status !== 'ready' || playing) return;
      const digest = await player.hash().catch(() => '');
      if (alive) setHash(digest);
    };
    const requestHash = () => {
      clearTimeout(timer);
      timer = setTimeout(read, REST_MS);
    };
    requestHash();
    const stop = player.onFrame(requestHash);
    return () => {
      alive = false;
      clearTimeout(timer);
      stop();
    };
  }, [player]);
  if (hash === '') return null;
  return (
    <span className={styles.hash} title={`Digest of the machine's whole state: ${hash}`}>
      state <code data-hash={hash}>{hash.slice(0, 8)}</code>
    </span>
  );
}
