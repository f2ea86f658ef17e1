import { useEffect, useState } from 'react';
import { coherentLog, selectedPlaces, subscribeHighlights } from '../../controllers/useCoherence';
import { useFrameValue } from '../../controllers/useRun';
import { rowConflicts } from '../../draw/coherence/tlb-map';
import type { CoherentMachine, TlbRole } from '../../model/coherence/coherence-roles';
import { player } from '../../model/session/open-run';
import type { Selection } from '../../model/session/selection';

export interface ChainProps {
  readonly coherent: CoherentMachine;
  readonly tlb: TlbRole;
  /** The row shown in detail; null before the first look-up. */
  readonly chain: number | null;
}

/** The row that is selected itself, so that the view stops following the run; null if none is. */
export const chosenRow = ({ part }: TlbRole, what: Selection): number | null =>
  what.part === part && what.view === 'tlb' ? what.index : null;

/** The row with the worst conflict at the playhead, or else the row looked up last. */
function busiestRow(coherent: CoherentMachine): number | null {
  const log = coherentLog(coherent);
  if (!log) return null;
  const { seq } = player.now();
  const [worst] = rowConflicts(coherent, log, seq);
  if (worst) return worst.chain;
  let latest: { chain: number; seq: number } | null = null;
  for (const chain of log.chains()) {
    const last = log.lastTo(chain, seq);
    if (last && last.seq > (latest?.seq ?? 0)) latest = { chain, seq: last.seq };
  }
  return latest?.chain ?? null;
}

/** The selected row, or else the busiest. */
export function useShownChain(coherent: CoherentMachine | null): number | null {
  const [chosen, setChosen] = useState<number | null>(null);
  useEffect(() => {
    if (!coherent) return;
    const follow = () => setChosen(selectedPlaces(coherent).chain);
    follow();
    return subscribeHighlights(follow);
  }, [coherent]);
  const busiest = useFrameValue(() => (coherent ? busiestRow(coherent) : null));
  return chosen ?? busiest;
}
