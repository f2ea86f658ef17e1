import { coherentLog } from '../../controllers/useCoherence';
import { useFrameValue } from '../../controllers/useRun';
import { evictionSentence, namedStreams, thrashSummary } from '../../draw/coherence/thrash-text';
import type { CoherenceLog } from '../../model/coherence/coherence-log';
import type { CoherentMachine, TlbRole } from '../../model/coherence/coherence-roles';
import { type TlbThrash, tlbThrashUntil } from '../../model/coherence/tlb-thrash';
import { player } from '../../model/session/open-run';
import { session } from '../../model/session/session';
import { TextAlternative } from '../../widgets/TextAlternative';
import { EvictionFixes } from './EvictionFixes';
import styles from './Evictions.module.css';
import { type ContendedRows, EvictionMatrix, MAX_MATRIX_ROWS } from './EvictionsMatrix';
import { SealedEvictions } from './SealedEvictions';
import { useHidesMisses } from './useHidesMisses';
import type { ChainProps } from './useShownChain';

const MOST_STREAMS = 8;

let read: { key: string; conflicts: ContendedRows | null } = { key: '', conflicts: null };

let computed: {
  readonly log: CoherenceLog | null;
  readonly lookUps: number;
  readonly last: number;
  readonly conflicts: ContendedRows | null;
} = { log: null, lookUps: 0, last: 0, conflicts: null };

/** Computed once per look-up at the playhead, and again while the trace grows: a later record ends a refill. */
function conflictsNow(coherent: CoherentMachine, tlb: TlbRole): ContendedRows | null {
  const log = coherentLog(coherent);
  if (!log) return null;
  const { seq } = player.now();
  const [lookUps, last] = [log.countTo(seq), player.trace()?.last ?? 0];
  if (computed.log === log && computed.lookUps === lookUps && computed.last === last)
    return computed.conflicts;
  const thrash = tlbThrashUntil(log, tlb, seq);
  const conflicts = { thrash, streams: namedStreams(coherent, thrash).slice(0, MOST_STREAMS) };
  computed = { log, lookUps, last, conflicts };
  return conflicts;
}

/** Evictions up to the playhead; the same object until the next look-up. */
function useConflicts({ coherent, tlb }: ChainProps): ContendedRows | null {
  return useFrameValue(() => {
    const conflicts = conflictsNow(coherent, tlb);
    const { opened } = session.getState();
    const { lookUps = -1, returns = 0, time: spent = 0 } = conflicts?.thrash ?? {};
    const key = `${opened} ${tlb.rows} ${lookUps} ${returns} ${spent}`;
    if (key !== read.key) read = { key, conflicts };
    return read.conflicts;
  });
}

export function EvictionsView(props: ChainProps) {
  return useHidesMisses(props.tlb) ? <SealedEvictions {...props} /> : <OpenEvictions {...props} />;
}

function OpenEvictions(props: ChainProps) {
  const conflicts = useConflicts(props);
  if (!conflicts) return null;
  const { thrash, streams } = conflicts;
  return (
    <div className={styles.sheet}>
      <div>
        <EvictionMatrix {...props} thrash={thrash} streams={streams} />
        <Summary thrash={thrash} />
      </div>
      <EvictionFixes {...props} />
    </div>
  );
}

function Summary({ thrash }: { readonly thrash: TlbThrash }) {
  const summary = useFrameValue(() => thrashSummary(thrash, player.now().timePs));
  return <p className={styles.summary}>{summary}</p>;
}

/** Every eviction as a sentence, and the suggested fixes. */
export function EvictionsText(props: ChainProps) {
  return useHidesMisses(props.tlb) ? <SealedEvictions {...props} /> : <OpenText {...props} />;
}

function OpenText(props: ChainProps) {
  const conflicts = useConflicts(props);
  const { thrash, streams } = conflicts ?? {};
  const sentences = (thrash?.rows ?? [])
    .slice(0, MAX_MATRIX_ROWS)
    .flatMap((row) =>
      (streams ?? [])
        .filter(({ key }) => row.losses.has(key))
        .map((stream) => evictionSentence(row, stream, row.losses.get(stream.key), streams ?? [])),
    );
  return (
    <TextAlternative summary={thrash && <Summary thrash={thrash} />} sentences={sentences}>
      <EvictionFixes {...props} />
    </TextAlternative>
  );
}
