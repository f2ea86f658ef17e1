import { useMemo } from 'react';
import { integer, text } from '../../base/format';
import type { EventHits } from '../../controllers/useEventHits';
import { runTime, useFrameValue } from '../../controllers/useRun';
import { useStore } from '../../controllers/useStore';
import { player } from '../../model/session/open-run';
import { type Hits, MAX_HITS } from '../../model/session/run-search';
import { selection } from '../../model/session/selection';
import { session } from '../../model/session/session';
import { sentenceOfAny } from '../../model/trace/event-text';
import { Button } from '../../widgets/Button';
import { ProgressLine } from '../../widgets/Feedback';
import { Menu, type MenuItem } from '../../widgets/Menu';
import styles from './Events.module.css';
import { sourceOfFound } from './source';

const hitsText = (count: number): string =>
  count === 0 ? 'No hits' : count === 1 ? '1 hit' : `${integer(count)} hits`;

/** Number of hits by what they have in common, most first. */
function tallied(all: readonly number[]): [number, number][] {
  const tally = new Map<number, number>();
  for (const one of all) tally.set(one, (tally.get(one) ?? 0) + 1);
  return [...tally].sort(([, a], [, b]) => b - a);
}

/** What narrows the query: the parts of its hits, or their kinds of events. */
function narrowings(
  hits: Hits,
  words: string,
  onNarrow: (words: string) => void,
): Readonly<Record<'part' | 'kind', readonly MenuItem[]>> {
  const parts = session.getState().machine?.parts ?? [];
  const item = (condition: string, title: string, count: number): MenuItem => ({
    id: condition,
    title,
    hint: integer(count),
    run: () => onNarrow(/ OR /.test(words) ? `(${words}) ${condition}` : `${words} ${condition}`),
  });
  return {
    part: tallied(hits.parts).map(([part, count]) => {
      const { name = '', title = '' } = parts[part] ?? {};
      return item(`part=${name}`, title, count);
    }),
    kind: tallied(hits.kinds).flatMap(([kind, count]) =>
      parts
        .flatMap(({ type }) => type.events.map((event) => ({ event, type })))
        .filter(({ event }) => event.kind === kind)
        .slice(0, 1)
        .map(({ event, type }) =>
          item(`kind=${type.name}.${event.name}`, sentenceOfAny(event, type.title), count),
        ),
    ),
  };
}

interface RunSearchBarProps extends EventHits {
  /** The time after the playhead is masked. */
  readonly ahead: boolean;
  readonly words: string;
  onNarrow(words: string): void;
  onHit(by: 1 | -1): void;
}

/** Hits and progress of a search, with buttons from hit to hit, filters of the hits, and a stop at each. */
export function RunSearchBar(props: RunSearchBarProps) {
  const { search, isLong, ahead, words, onHit, onNarrow, stop, restart } = props;
  const event = useStore(selection, (state) => state.event);
  const stopAt = useStore(player.state, (state) => state.stopAt);
  const source = useMemo(() => sourceOfFound(search?.hits.seqs ?? []), [search?.hits]);
  const past = useFrameValue(() => source.countTo(player.now().seq));
  if (!search) return null;
  const { status, hits, count, events, endEvents, timePs, failure } = search;
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
  const narrow = narrowings(hits, words.trim(), onNarrow);
  return (
    <div className={`${styles.range} ${styles.bar}`}>
      {/* A growing number is not announced, only the final one. */}
      <p role={status === 'searching' ? undefined : 'status'}>
        {sentence}
        {count > MAX_HITS &&
          ` Only the first ${integer(MAX_HITS)} hits can be visited. More words narrow the search.`}
      </p>
      {status === 'searching' && isLong && (
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
        {!ahead && narrow.part.length > 1 && (
          <Menu label="Only hits of one part" items={narrow.part} className={styles.narrow}>
            Part…
          </Menu>
        )}
        {!ahead && narrow.kind.length > 1 && (
          <Menu label="Only hits of one kind" items={narrow.kind} className={styles.narrow}>
            Kind…
          </Menu>
        )}
        {(status === 'stopped' || status === 'failed') && (
          <Button size="small" onClick={restart}>
            Search again
          </Button>
        )}
        <Button
          size="small"
          title="Playing stops at each hit; S goes to the next"
          aria-pressed={stopAt === words.trim()}
          onClick={() => player.setStop(stopAt === words.trim() ? null : words.trim())}
        >
          Stop at hits
        </Button>
      </div>
    </div>
  );
}
