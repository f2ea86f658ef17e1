import { useMemo } from 'react';
import { integer, text } from '../../base/format';
import { runTime, useFrameValue } from '../../controllers/useRun';
import { useStore } from '../../controllers/useStore';
import { player } from '../../model/session/open-run';
import { MAX_HITS } from '../../model/session/run-search';
import { selection } from '../../model/session/selection';
import { Button } from '../../widgets/Button';
import { ProgressLine } from '../../widgets/Feedback';
import styles from './Events.module.css';
import { sourceOfFound } from './source';
import type { RunSearchControls } from './useRunSearch';

const hitsText = (count: number): string =>
  count === 0 ? 'No hits' : count === 1 ? '1 hit' : `${integer(count)} hits`;

interface RunSearchBarProps extends RunSearchControls {
  /** The time after the playhead is masked. */
  readonly ahead: boolean;
  onHit(by: 1 | -1): void;
}

/** Hits and progress of a search over a whole run, with buttons from hit to hit. */
export function RunSearchBar({ search, ahead, onHit, stop, restart }: RunSearchBarProps) {
  const event = useStore(selection, (state) => state.event);
  const source = useMemo(() => sourceOfFound(search?.hits.seqs ?? []), [search?.hits]);
  const past = useFrameValue(() => source.countTo(player.now().seq));
  if (!search) return null;
  const { status, count, events, endEvents, timePs, failure } = search;
  const shown = ahead ? Math.min(past, count) : count;
  const rank = event === null ? 0 : source.countTo(event);
  const isHit = rank > 0 && source.seqAt(rank - 1) === event;
  const place = isHit ? `Hit ${integer(rank)} of ${integer(shown)}` : hitsText(shown);
  const sentence = {
    waiting: 'The whole run is searched once it is recorded.',
    searching: `${hitsText(shown)} so far. The count is known when the whole run is searched.`,
    stopped: `The search was stopped at ${text(runTime(timePs))}. ${hitsText(shown)} up to there.`,
    finished: `${place} ${ahead ? 'up to the playhead' : 'in the whole run'}.`,
    failed: `The run could not be searched: ${failure}`,
  }[status];
  return (
    <div className={styles.range}>
      {/* A growing number is not announced, only the final one. */}
      <p role={status === 'searching' ? undefined : 'status'}>
        {sentence}
        {count > MAX_HITS &&
          ` Only the first ${integer(MAX_HITS)} hits can be visited. More words narrow the search.`}
      </p>
      {status === 'searching' && (
        <ProgressLine label="Events searched" done={events} total={endEvents} onStop={stop} />
      )}
      <div className={styles.hops}>
        {shown > 0 && (
          <>
            <Button size="small" onClick={() => onHit(-1)}>
              Previous hit
            </Button>
            <Button size="small" onClick={() => onHit(1)}>
              Next hit
            </Button>
          </>
        )}
        {(status === 'stopped' || status === 'failed') && (
          <Button size="small" onClick={restart}>
            Search again
          </Button>
        )}
      </div>
    </div>
  );
}
