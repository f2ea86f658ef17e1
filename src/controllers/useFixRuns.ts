import { useEffect, useState } from 'react';
import { showToast } from '../base/notices';
import type { SweepResult } from '../engine/api';
import { createSweepWorkers } from '../engine/workers';
import type { Fix } from '../model/diagnosis/fixes';
import { settingsOnAxesIfSame } from '../model/scenario/axis-overrides';
import { compile } from '../model/scenario/compile';
import type { CompiledMachine } from '../model/scenario/compiled';
import type { Problem } from '../model/scenario/problems';
import { withPrograms } from '../model/scenario/program-overrides';
import type { Edits } from '../model/scenario/scenario-types';
import { engineCommands } from '../model/session/commands';
import { setEdits, setPrograms, setVariables } from '../model/session/editing';
import { type SessionState, session } from '../model/session/session';

/** If the experiment has a run with these settings, opens it, so that the axes show it. */
function setOnAxes(requested: Edits): Problem | null {
  const { data, machine, seed } = session.getState();
  if (!data || !machine) return setEdits(requested);
  const { variables, edits } = settingsOnAxesIfSame(data, machine, requested, {
    seed: seed ?? undefined,
  });
  return setVariables(variables, edits);
}

/** Applies a fix and runs the machine again; undo reverts it. */
export function applyFix({ title, edits, programs }: Fix): void {
  const before = session.getState();
  const all = { ...before.edits, ...edits };
  const refused = programs ? setPrograms({ ...before.programs, ...programs }, all) : setOnAxes(all);
  showToast(refused ? refused.message : `${title}: the machine was rerun. Undo reverts it.`);
}

/** Results at the end of a run. */
interface EndedRun {
  readonly timePs: number;
  /** Final value of a counter. */
  counter(part: number, name: string): number;
}

/** The session's machine with a fix applied; null if it does not compile. Without a size its trace is off. */
export function withFix(
  now: SessionState,
  fix: Pick<Fix, 'edits' | 'programs'> | null,
  traceLog2 = 0,
): CompiledMachine | null {
  const { data, machine, edits, seed, programs } = now;
  if (!data || !machine) return null;
  const other = withPrograms(data, fix?.programs && { ...programs, ...fix.programs });
  if (!other.ok) return null;
  const { variables } = machine;
  const options = { variables, edits: { ...edits, ...fix?.edits }, seed: seed ?? undefined };
  const made = compile(other.value, { ...options, traceLog2 });
  return made.ok ? made.value : null;
}

type Runs = readonly (EndedRun | null)[];

/** Delay in ms, so that dragging a parameter starts no runs. */
const REST_MS = 300;

/** Starts the runs; returns the function that stops them. */
function startRuns(
  fixes: readonly Fix[],
  onEnd: (place: number, run: EndedRun) => void,
): () => void {
  const now = session.getState();
  const machines = [null, ...fixes].map((fix) => withFix(now, fix));
  const made = machines.flatMap((machine, place) => (machine ? [{ machine, place }] : []));
  const sessions = made.map(({ machine }) => ({
    config: machine.config,
    commands: engineCommands(machine, now.commands),
  }));
  const limit = { untilPs: now.machine?.untilPs ?? 0 };
  const sweeps = createSweepWorkers(1);
  let isOver = false;
  const take = ({ index, timePs, counters, reason }: SweepResult) => {
    const at = made[index];
    if (!at || isOver || reason === 'trap') return;
    const { parts } = at.machine;
    const counter = (part: number, name: string) =>
      counters[part]?.[parts[part]?.type.counters.findIndex((one) => one.name === name) ?? -1] ?? 0;
    onEnd(at.place, { timePs, counter });
  };
  // Runs of a failed engine stay without a result.
  sweeps.sweep({ sessions, limit }, take).catch(() => undefined);
  return () => {
    isOver = true;
    sweeps.dispose();
  };
}

/**
 * Results of the open run and of the same run with each fix; null where a run has not ended or is impossible.
 * They run in a worker while `wanted`. `fixes` must be the same array while nothing changed.
 */
export function useFixRuns(fixes: readonly Fix[], enabled: boolean): Runs {
  const [runs, setRuns] = useState<Runs>([]);
  useEffect(() => {
    setRuns([]);
    if (!enabled || fixes.length === 0) return;
    let stop = () => {};
    const timer = setTimeout(() => {
      stop = startRuns(fixes, (place, run) =>
        setRuns((before) => {
          const all = [null, ...fixes].map((_, at) => before[at] ?? null);
          return all.with(place, run);
        }),
      );
    }, REST_MS);
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [fixes, enabled]);
  return runs;
}
