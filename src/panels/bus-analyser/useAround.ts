import { useMemo } from 'react';
import { useHidesFuture } from '../../controllers/useAnswerMask';
import { useFrameValue } from '../../controllers/useRun';
import { useStore } from '../../controllers/useStore';
import { currentAt } from '../../draw/run/bus-analyser';
import {
  type AnalysedBus,
  type BusTransaction,
  transactionsAround,
} from '../../model/coherence/bus-phases';
import type { CompiledMachine } from '../../model/scenario/compiled';
import { player } from '../../model/session/open-run';

const MOST = { before: 6, after: 24 } as const;
const NONE: readonly BusTransaction[] = [];

/** The transactions around the playhead; the same list while it is within one of them. */
export function useAround(machine: CompiledMachine, bus: AnalysedBus) {
  const ahead = useHidesFuture();
  const recorded = useStore(player.state, (state) => state.recorded);
  // The record that began the present transaction; a new number means a new strip.
  const at = useFrameValue(
    () => player.trace()?.lane(bus.part, 'bus')?.around(player.now().timePs, 0, 0)[0]?.seq ?? 0,
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: changes when the trace grows or the playhead leaves the transaction
  return useMemo(() => {
    const trace = player.trace();
    const { timePs } = player.now();
    const most = ahead ? { ...MOST, after: 0 } : MOST;
    const around = trace ? transactionsAround(machine, trace, bus, timePs, most) : NONE;
    const current = currentAt(around, timePs);
    /** Goes to the next or previous transaction. */
    const go = (by: 1 | -1) => {
      const to = around[current + by];
      if (!to) return;
      player.pause();
      void player.toTime(to.from);
    };
    return { around, current, go };
  }, [machine, bus, ahead, recorded, at]);
}
