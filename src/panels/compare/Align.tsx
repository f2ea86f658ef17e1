import { text } from '../../base/format';
import { route } from '../../base/route';
import { runTime } from '../../controllers/useRun';
import { useStore } from '../../controllers/useStore';
import { type Alignment, parseAlignment } from '../../model/report/alignment';
import type { Comparison } from '../../model/report/comparison';
import { Segmented } from '../../widgets/Segmented';
import { Select } from '../../widgets/Select';
import styles from './Compare.module.css';
import { align, alignHere, comparing, longestPs, pairsOf } from './comparing';

const CHOICES: readonly {
  readonly value: Alignment['by'];
  readonly title: string;
  readonly hint: string;
}[] = [
  { value: 'start', title: 'start', hint: 'Both begin at the same time' },
  { value: 'event', title: 'event', hint: 'The same event comes at the same time in both' },
  {
    value: 'cause',
    title: 'cause',
    hint: 'What the same row, call, task or transfer caused comes at the same time in both',
  },
  {
    value: 'parting',
    title: 'divergence',
    hint: 'The first divergence comes at the same time in both',
  },
];

/** A longer list would be no help. */
const MOST_EVENTS = 40;

interface Choice {
  readonly value: string;
  readonly title: string;
}

/** The first of each kind of notable event that both runs have, and the chosen one if it is another. */
function eventsOf(state: Comparison, chosen: number | null): Choice[] {
  const trace = state.a?.recording?.trace;
  if (!trace) return [];
  const kinds = new Map<string, number>();
  for (const { seq } of pairsOf(state)) {
    const record = trace.record(seq);
    const key = `${record?.part} ${record?.kind}`;
    if (!kinds.has(key) && kinds.size < MOST_EVENTS) kinds.set(key, seq);
  }
  const firsts = [...kinds.values()];
  const rest = chosen === null || firsts.includes(chosen) ? [] : [chosen];
  const at = (seq: number) => text(runTime(trace.record(seq)?.timePs ?? 0, longestPs()));
  return [...firsts, ...rest]
    .sort((one, two) => one - two)
    .map((seq) => ({ value: String(seq), title: `${trace.sentence(seq)} ${at(seq)}` }));
}

/** Chooses how the two runs are aligned. */
export function Align() {
  const state = useStore(comparing.state);
  const by = parseAlignment(useStore(route, ({ params }) => params.align));
  const chosen = by.by === 'event' || by.by === 'cause' ? by : null;
  return (
    <div className={styles.align}>
      <span aria-hidden="true">Aligned by</span>
      <Segmented
        label="Aligned by"
        options={CHOICES}
        value={by.by}
        onChange={(next) =>
          next === 'event' || next === 'cause' ? alignHere(next) : align({ by: next })
        }
      />
      {chosen !== null && (
        <Select
          label="Event that comes at the same time"
          options={eventsOf(state, chosen.seq)}
          value={String(chosen.seq)}
          onChange={(seq) => align({ by: chosen.by, seq: Number(seq) })}
        />
      )}
    </div>
  );
}
