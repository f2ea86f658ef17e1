import type { ReactNode } from 'react';
import { integer, text, time } from '../../base/format';
import { useHidesFuture } from '../../controllers/useAnswerMask';
import { useFrameValue, useRun } from '../../controllers/useRun';
import { useStore } from '../../controllers/useStore';
import { session } from '../../model/session/session';
import { Button } from '../../widgets/Button';
import styles from './Transport.module.css';

/** Long-running work: its progress, and a stop button. */
export function LongRun() {
  const player = useRun();
  const { long, paused, travelling, silent, failure } = useStore(player.state);
  const untilPs = useStore(session, (state) => state.machine?.untilPs);
  const ahead = useHidesFuture();
  const stop = (
    <Button size="small" onClick={() => player.stopRecording()}>
      Stop
    </Button>
  );
  if (failure !== null) return null;
  if (silent)
    return (
      <Line title="The engine has not answered for two seconds." action={stop}>
        If it stays silent it will be stopped. The session is kept.
      </Line>
    );
  if (travelling)
    return (
      <Line title="A long seek." action={stop}>
        The playhead is still moving there.
      </Line>
    );
  if (!long) return <Stuck />;
  const end = Number.isSafeInteger(untilPs) ? ` of ${text(time(untilPs ?? 0))}` : '';
  const times = ahead ? '' : `, up to ${text(time(long.timePs))}${end}`;
  const far = `${integer(long.events)} events${times}`;
  if (paused)
    return (
      <Line
        title="Stopped."
        action={
          <Button size="small" onClick={() => player.resume()}>
            Go on
          </Button>
        }
      >
        {far} recorded.
      </Line>
    );
  return (
    <Line title="A long run." action={stop}>
      {far} so far.
    </Line>
  );
}

/** Most threads named; the others are counted. */
const MOST_NAMED = 2;

/** The playhead is at the end of a deadlocked run: the waiting threads, and what they wait for. */
function Stuck() {
  const player = useRun();
  const { stuck, complete } = useStore(player.state);
  const isEnd = useFrameValue(() => player.now().timePs >= player.state.getState().endPs);
  const ahead = useHidesFuture();
  if (!complete || !isEnd || ahead || stuck.length === 0) return null;
  const more = stuck.length - MOST_NAMED;
  const rest = more > 0 ? ` And ${more} more.` : '';
  return (
    <Line title="Deadlock: threads are blocked and no event is pending.">
      <span title={stuck.join('\n')}>
        {stuck.slice(0, MOST_NAMED).join(' ')}
        {rest}
      </span>
    </Line>
  );
}

interface LineProps {
  /** Announced when it appears; the changing progress is not. */
  readonly title: string;
  readonly action?: ReactNode;
  readonly children: ReactNode;
}

const Line = ({ title, action, children }: LineProps) => (
  <div className={styles.long} data-long>
    <p>
      <b role="status">{title}</b> {children}
    </p>
    {action}
  </div>
);
