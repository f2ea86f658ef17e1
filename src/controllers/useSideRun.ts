import { useEffect } from 'react';
import type { RunRow } from '../model/lab/run-table';
import { settingsOnAxes } from '../model/scenario/axis-overrides';
import { compile } from '../model/scenario/compile';
import type { ComparisonRun } from '../model/session/comparison-run';
import { player } from '../model/session/open-run';
import { session } from '../model/session/session';
import { useStore } from './useStore';

/** Has the other run recorded, anew after each edit; records around the playhead are fetched as it moves. */
export function useComparisonPlayer(beside: ComparisonRun, other: RunRow | undefined): void {
  const data = useStore(session, (state) => state.data);
  const edits = useStore(session, (state) => state.edits);
  const seed = useStore(session, (state) => state.seed);
  const dragging = useStore(session, (state) => state.dragging);
  const index = other?.point.index;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the row is known by its index
  useEffect(() => {
    if (!other) beside.dispose();
    if (!data || !other || dragging) return;
    const { variables } = other.point;
    const options = { variables, edits: settingsOnAxes(data, edits), seed: seed ?? undefined };
    const machine = compile(data, options);
    if (machine.ok) void beside.show(machine.value);
  }, [data, edits, seed, dragging, index]);
  useEffect(() => {
    const stop = player.onFrame(() => void beside.loadTraceAround(player.now().timePs));
    const release = beside.hold();
    return () => {
      stop();
      release();
    };
  }, [beside]);
}
