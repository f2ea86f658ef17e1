import { useMemo, useState } from 'react';
import { text } from '../../base/format';
import { useHidesFuture } from '../../controllers/useAnswerMask';
import { runTime, useRun } from '../../controllers/useRun';
import { useStore } from '../../controllers/useStore';
import { player } from '../../model/session/open-run';
import type { Listed } from '../../model/session/recorder';
import { nextHit } from '../../model/session/run-search';
import { select, selection } from '../../model/session/selection';
import { eventWords } from '../../model/trace/event-search';
import { termMentions } from '../../model/trace/terms';
import { GlossaryText, useTerms } from '../../widgets/GlossaryText';
import { LabelOverlay } from '../../widgets/LabelOverlay';
import { Panel } from '../../widgets/Panel';
import { Segmented } from '../../widgets/Segmented';
import { EventList } from './EventList';
import styles from './Events.module.css';
import { RunSearchBar } from './RunSearchBar';
import { choose, goTo } from './source';
import { useEventSearch } from './useEventSearch';
import { type RunSearch, useRunSearch } from './useRunSearch';

const CHOICES: readonly {
  readonly value: Listed;
  readonly title: string;
  readonly hint: string;
}[] = [
  { value: 'notable', title: 'notable', hint: 'Notable events' },
  { value: 'transactions', title: 'transactions', hint: 'And every transfer' },
  { value: 'all', title: 'all', hint: 'Every record' },
];

/** The selected event, if it has glossary terms: within the list they could not be focused. */
function Chosen() {
  const event = useStore(selection, (state) => state.event);
  const terms = useTerms();
  const sentence = event === null ? '' : (player.trace()?.sentence(event) ?? '');
  if (termMentions(sentence, terms).length === 0) return null;
  return (
    <p className={styles.chosen}>
      <GlossaryText text={sentence} />
    </p>
  );
}

/** Goes from the selected event or the playhead to the next or previous hit, and wraps around. */
function goToHit(found: readonly number[], by: 1 | -1, ahead: boolean): void {
  const { seq } = player.now();
  const at = selection.getState().event ?? seq;
  const all = ahead ? found.filter((one) => one <= seq) : found;
  const index = nextHit(all, at, by, true);
  if (index === null) return;
  choose(all[index] as number);
  goTo(all[index] as number);
}

/** The same over a whole run, whose events are not all kept. */
function goToRunHit({ hits, status }: RunSearch, by: 1 | -1, ahead: boolean): void {
  const { seq } = player.now();
  const at = selection.getState().event ?? seq;
  const all = ahead ? hits.seqs.filter((one) => one <= seq) : hits.seqs;
  const index = nextHit(all, at, by, status === 'finished');
  if (index === null) return;
  select({ part: hits.parts[index] ?? null, event: hits.seqs[index] ?? null });
  player.pause();
  void player.toTime(hits.timesPs[index] ?? 0);
}

/** The listed range of events, if not all are kept. */
function ListedRange() {
  const recorded = useStore(player.state, (state) => state.recorded);
  const range = useMemo(() => {
    const recording = recorded > 0 ? player.recording() : null;
    if (!recording?.cut) return null;
    const { trace } = recording;
    const [from, to] = [trace.first, trace.last].map((seq) => trace.record(seq)?.timePs ?? 0);
    return `${text(runTime(from ?? 0))} to ${text(runTime(to ?? 0))}`;
  }, [recorded]);
  if (!range) return null;
  return (
    <p className={styles.range}>
      This run is too long to keep all its events. The list shows the hits from {range}.
    </p>
  );
}

interface FindProps {
  readonly words: string;
  onChange(words: string): void;
  onHit(by: 1 | -1): void;
}

function Find({ words, onChange, onHit }: FindProps) {
  return (
    <input
      type="search"
      className={styles.find}
      aria-label="Find events"
      placeholder="Find"
      title="Words of the sentence, its part or the glossary, such as DMA, or 0x1000-0x1FFF for an address in that range. Enter goes to the next, Shift and Enter to the previous one."
      value={words}
      onChange={(event) => onChange(event.target.value)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') onHit(event.shiftKey ? -1 : 1);
        if (event.key === 'Escape' && words !== '') {
          event.stopPropagation();
          onChange('');
        }
      }}
    />
  );
}

/** The events of the run as sentences. */
export default function Events() {
  useRun();
  const [listed, setListed] = useState<Listed>('transactions');
  const { words } = useStore(eventWords);
  const setWords = (next: string) => eventWords.setState({ words: next });
  const found = useEventSearch(listed, words);
  const controls = useRunSearch(listed, words);
  const { search } = controls;
  const ahead = useHidesFuture();
  const onHop = (by: 1 | -1) => {
    if (search) goToRunHit(search, by, ahead);
    else if (found) goToHit(found, by, ahead);
  };
  const tools = (
    <>
      <Find words={words} onChange={setWords} onHit={onHop} />
      <Segmented
        label="Events listed"
        options={CHOICES}
        value={listed}
        onChange={(next) => setListed(next)}
      />
    </>
  );
  return (
    <Panel title="Events" tools={tools}>
      <div className={styles.events}>
        <LabelOverlay className={styles.list}>
          <EventList listed={listed} found={found} />
        </LabelOverlay>
        {search && <ListedRange />}
        <RunSearchBar {...controls} ahead={ahead} onHit={onHop} />
        <Chosen />
      </div>
    </Panel>
  );
}
