import { useMemo } from 'react';
import { text } from '../../base/format';
import { findEvents } from '../../controllers/find-events';
import { causesOf } from '../../controllers/useCauses';
import { selectedPlaces } from '../../controllers/useCoherence';
import { runTime, useFrameValue } from '../../controllers/useRun';
import { useStore } from '../../controllers/useStore';
import { coherentMachine } from '../../model/coherence/coherence-roles';
import { touchedPlace } from '../../model/coherence/touched';
import type { CompiledMachine } from '../../model/scenario/compiled';
import { player } from '../../model/session/open-run';
import { select, selection } from '../../model/session/selection';
import { eventSearch } from '../../model/trace/event-search';
import { type RowTest, testOf } from '../../model/trace/rows';
import { Button } from '../../widgets/Button';
import { Section } from '../../widgets/Section';
import styles from './Inspector.module.css';

/** Records looked at before the playhead for the newest event: some milliseconds. */
const LOOK_BACK = 4096;

/** The newest of them up to the playhead; null if none is near. */
function newest(test: RowTest): number | null {
  const trace = player.trace();
  if (!trace) return null;
  const last = Math.min(player.now().seq, trace.last);
  for (let seq = last; seq >= Math.max(trace.first, last - LOOK_BACK); seq--)
    if (test(trace, seq)) return seq;
  return null;
}

/** The event itself, and the root cause it came from. */
function Origin({ event }: { readonly event: number }) {
  const trace = player.trace();
  const root = causesOf(event).at(-1);
  if (!trace?.has(event)) return null;
  return (
    <>
      <p className={styles.newest}>
        {trace.sentence(event)} {text(runTime(trace.timeOf(event)))}
      </p>
      {root && root.seq !== event && (
        <p className={styles.newest}>
          Comes from:{' '}
          <Button
            look="word"
            title="Select the root cause"
            onClick={() => select({ part: root.part, event: root.seq })}
          >
            {trace.sentence(root.seq)}
          </Button>{' '}
          {text(runTime(root.timePs))}
        </p>
      )}
    </>
  );
}

/** What the selected line, row, event or part is, its newest event, and the search for all of them. */
export function Touched({ machine }: { readonly machine: CompiledMachine }) {
  const selected = useStore(selection);
  const coherent = useMemo(() => coherentMachine(machine), [machine]);
  const query = useFrameValue(
    () => touchedPlace(machine, coherent.tlb, selected, selectedPlaces(coherent))?.query ?? '',
  );
  const test = useMemo(() => {
    const search = eventSearch(query, machine);
    return search && testOf(search.testWith([]));
  }, [query, machine]);
  const seq = useFrameValue(() => (test ? newest(test) : null));
  const place = touchedPlace(machine, coherent.tlb, selected, selectedPlaces(coherent));
  if (!place) return null;
  const { what, did } = place;
  const trace = player.trace();
  return (
    <Section title={what.charAt(0).toUpperCase() + what.slice(1)}>
      {selected.view === null && selected.event !== null && <Origin event={selected.event} />}
      {seq !== null && trace && (
        <p className={styles.newest}>
          <Button
            look="word"
            title="Select this event: Why? explains it"
            onClick={() => select({ part: trace.partOf(seq), event: seq })}
          >
            {trace.sentence(seq)}
          </Button>{' '}
          {text(runTime(trace.timeOf(seq)))}
        </p>
      )}
      <Button size="small" onClick={() => findEvents(query)}>
        {`What ${did}`}
      </Button>
    </Section>
  );
}
