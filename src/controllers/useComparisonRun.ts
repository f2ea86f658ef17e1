/** A second run of the experiment on the time axis of the open one. */
import { useEffect, useMemo } from 'react';
import { createStore, watch } from '../base/store';
import type { NamedRun } from '../draw/realtime/task-lanes';
import { comparisonRows, comparisonTitle, isCurrent, runTitle } from '../draw/run/run-rows';
import { createWorkerEngine } from '../engine/workers';
import { type RunRow, startTable } from '../model/lab/run-table';
import { realTimeLog } from '../model/realtime/realtime-log';
import { realTimeRoles } from '../model/realtime/realtime-roles';
import { settingsOnAxes } from '../model/scenario/axis-overrides';
import { compile } from '../model/scenario/compile';
import { ComparisonRun } from '../model/session/comparison-run';
import { player } from '../model/session/open-run';
import { session } from '../model/session/session';
import { packetDeadline } from './machine-features';
import { useStore } from './useStore';

/** Records the other run, again after each edit, and loads the trace around the playhead as it moves. */
export function useComparisonPlayer(comparison: ComparisonRun, other: RunRow | undefined): void {
  const data = useStore(session, (state) => state.data);
  const edits = useStore(session, (state) => state.edits);
  const seed = useStore(session, (state) => state.seed);
  const dragging = useStore(session, (state) => state.dragging);
  const index = other?.point.index;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the row is identified by its index
  useEffect(() => {
    if (!other) comparison.dispose();
    if (!data || !other || dragging) return;
    const { variables } = other.point;
    const options = { variables, edits: settingsOnAxes(data, edits), seed: seed ?? undefined };
    const machine = compile(data, options);
    if (machine.ok) void comparison.show(machine.value);
  }, [data, edits, seed, dragging, index]);
  useEffect(() => {
    const stop = player.onFrame(() => void comparison.loadTraceAround(player.now().timePs));
    const release = comparison.hold();
    return () => {
      stop();
      release();
    };
  }, [comparison]);
}

/** Index of the other run in the table of runs; null: none. */
export const comparisonChoice = createStore<{ readonly index: number | null }>({ index: null });

/** An index is valid for one table only. */
watch(
  session,
  ({ opened }) => opened,
  () => comparisonChoice.setState({ index: null }),
);

const comparison = new ComparisonRun(createWorkerEngine);

/** The runs that can be compared with the open one, and the one that is. */
export function useComparisonRun() {
  const data = useStore(session, (state) => state.data);
  const machine = useStore(session, (state) => state.machine);
  const index = useStore(comparisonChoice, (state) => state.index);
  const table = useMemo(() => startTable(data), [data]);
  const variables = machine?.variables ?? {};
  const others = useMemo(
    () => (machine ? comparisonRows(table, machine.variables) : []),
    [table, machine],
  );
  const other = others.find(({ point }) => point.index === index);
  useComparisonPlayer(comparison, other);
  const own = table.rows.find((row) => isCurrent(row, variables));
  const { machine: recorded, recording, recorded: version, failure } = useStore(comparison.state);
  const trace = recording?.trace ?? null;
  const run = useMemo((): NamedRun | null => {
    const roles = data && recorded && trace ? realTimeRoles(recorded, data) : null;
    if (!other || !recorded || !trace || !roles) return null;
    const log = realTimeLog(trace, roles);
    return { letter: 'B', log, machine: recorded, deadline: packetDeadline() };
  }, [data, other, recorded, trace]);
  return {
    others: others.map((row) => ({
      index: row.point.index,
      title: comparisonTitle(row, table, variables),
    })),
    ownTitle: (own && (runTitle(own, table, variables) || own.titles.join(', '))) || 'this run',
    title: other ? comparisonTitle(other, table, variables) : '',
    isShown: other !== undefined,
    run,
    version,
    failure,
  };
}
