import { useEffect, useMemo, useState } from 'react';
import { text } from '../../base/format';
import { useHidesFuture } from '../../controllers/useAnswerMask';
import { type RunSearch, useEventHits } from '../../controllers/useEventHits';
import { runTime, useRun } from '../../controllers/useRun';
import { useStore } from '../../controllers/useStore';
import { player } from '../../model/session/open-run';
import type { Listed } from '../../model/session/recorder';
import { nextHit } from '../../model/session/run-search';
import { select, selection } from '../../model/session/selection';
import { session } from '../../model/session/session';
import { eventWords } from '../../model/trace/event-words';
import { queryHelp } from '../../model/trace/query-help';
import { termMentions } from '../../model/trace/terms';
import { GlossaryText, useTerms } from '../../widgets/GlossaryText';
import { LabelOverlay } from '../../widgets/LabelOverlay';
import { Panel } from '../../widgets/Panel';
import { QueryField } from '../../widgets/QueryField';
import { Segmented } from '../../widgets/Segmented';
import { EventList } from './EventList';
import styles from './Events.module.css';
import { RunSearchBar } from './RunSearchBar';
import { eventHits } from './source';

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

/** Goes from the selected event or the playhead to the next or previous hit; when all are known it wraps around. */
function goToHit({ hits, status }: RunSearch, by: 1 | -1, ahead: boolean): void {
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

/** The events of the run as sentences. */
export default function Events() {
  useRun();
  const machine = useStore(session, (state) => state.machine);
  const [listed, setListed] = useState<Listed>('transactions');
  const { words } = useStore(eventWords);
  const setWords = (next: string) => eventWords.setState({ words: next });
  const controls = useEventHits(listed, words, useTerms());
  const { search, error, found, isLong } = controls;
  const [isWriting, setWriting] = useState(false);
  const ahead = useHidesFuture();
  const onHop = (by: 1 | -1) => search && goToHit(search, by, ahead);
  useEffect(() => eventHits.setState({ timesPs: search?.hits.timesPs ?? [] }), [search]);
  useEffect(() => () => eventHits.setState({ timesPs: [] }), []);
  const tools = (
    <>
      <QueryField
        label="Find events"
        title="Words, or conditions such as part:bus, kind:miss, 0x1000-0x1FFF, bytes>=64. Enter goes to the next hit, Shift and Enter to the previous one."
        value={words}
        error={error}
        suggest={(text, caret) => machine && queryHelp(text, caret, machine)}
        onChange={setWords}
        onHelp={setWriting}
        onEnter={onHop}
      />
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
        {search && isLong && <ListedRange />}
        {error && !isWriting && (
          <p className={`${styles.range} ${styles.error}`} role="status">
            {`At character ${error.place.from + 1}: ${error.message}`}
          </p>
        )}
        <RunSearchBar {...controls} ahead={ahead} words={words} onNarrow={setWords} onHit={onHop} />
        <Chosen />
      </div>
    </Panel>
  );
}
