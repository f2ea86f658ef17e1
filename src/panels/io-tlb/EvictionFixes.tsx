import { useMemo } from 'react';
import { integer, text, time } from '../../base/format';
import { useHidesExperiment, useHidesFuture } from '../../controllers/useAnswerMask';
import { useFixRuns } from '../../controllers/useFixRuns';
import { useStore } from '../../controllers/useStore';
import type { TlbRole } from '../../model/coherence/coherence-roles';
import type { Fix } from '../../model/diagnosis/fixes';
import { thrashFixes } from '../../model/diagnosis/thrash-fixes';
import { session } from '../../model/session/session';
import { FixButton } from '../../widgets/FixButton';
import { type Column, Table } from '../../widgets/Table';
import styles from './Evictions.module.css';
import type { ChainProps } from './useShownChain';

/** Results at the end of a run. */
interface Ending {
  readonly misses: number;
  readonly thrashes: number;
  readonly timePs: number;
}

/** Results of the complete run, as it is and with each fix. */
function useEndings(tlb: TlbRole): { fixes: readonly Fix[]; endings: readonly (Ending | null)[] } {
  const { machine, data } = useStore(session);
  const fixes = useMemo(
    () => (machine && data ? thrashFixes(machine, tlb, data) : []),
    [machine, data, tlb],
  );
  const ahead = useHidesFuture();
  const isMasked = useHidesExperiment();
  const runs = useFixRuns(fixes, !ahead && !isMasked);
  const endings = runs.map(
    (run): Ending | null =>
      run && {
        misses: run.counter(tlb.part, 'misses'),
        thrashes: run.counter(tlb.part, 'thrashes'),
        timePs: run.timePs,
      },
  );
  return { fixes, endings };
}

interface Outcome {
  /** Null for the machine as it is. */
  readonly fix: Fix | null;
  readonly ending: Ending | null;
}

const cellOf = (what: (ending: Ending) => string) => (outcome: Outcome) =>
  outcome.ending ? what(outcome.ending) : '';

const OUTCOMES: readonly Column<Outcome>[] = [
  {
    id: 'fix',
    title: 'run with',
    cell: ({ fix }) => (fix ? <FixButton fix={fix} className={styles.fix} /> : 'no change'),
  },
  { id: 'misses', title: 'misses', numeric: true, cell: cellOf(({ misses }) => integer(misses)) },
  {
    id: 'thrown',
    title: 'evicted',
    numeric: true,
    cell: cellOf(({ thrashes }) => integer(thrashes)),
  },
  {
    id: 'end',
    title: 'ends at',
    numeric: true,
    cell: cellOf(({ timePs }) => text(time(timePs, 3))),
  },
];

/** Each fix as a complete run beside the one without it; a press applies the fix. */
export function EvictionFixes({ tlb }: ChainProps) {
  const { fixes, endings } = useEndings(tlb);
  const rows = [null, ...fixes].map((fix, place) => ({ fix, ending: endings[place] ?? null }));
  return (
    <div className={styles.fixes}>
      <Table
        caption="Changes that may help, each with the misses and the end of its run"
        columns={OUTCOMES}
        rows={rows}
        rowKey={({ fix }) => fix?.title ?? ''}
      />
    </div>
  );
}
