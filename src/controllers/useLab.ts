import { useEffect, useMemo } from 'react';
import { loop } from '../base/loop';
import { createStore } from '../base/store';
import { createSweepWorkers, createWorkerEngine } from '../engine/workers';
import { Lab } from '../model/lab/lab';
import type { LabState } from '../model/lab/state';
import { unansweredSteps } from '../model/lesson/answer-mask';
import { askedRuns, sealedCurves } from '../model/lesson/asked-runs';
import { setEdits, setParam } from '../model/session/editing';
import { session, setView } from '../model/session/session';
import { processors } from './processors';
import { useStore } from './useStore';

export const lab = new Lab({
  createEngine: createWorkerEngine,
  createSweeper: (workers = processors()) => createSweepWorkers(workers),
  session,
  setParam,
  setEdits,
  setView,
  soon: (flush) => loop.once('advance', flush),
});

/**
 * What the panels draw. While a slider or a crossing is dragged, that is the state at each frame: an edit and the runs
 * that have finished since are drawn together.
 */
const drawn = createStore(lab.state.getState());
const draw = () => drawn.setState(lab.state.getState(), true);
lab.state.subscribe(() => {
  if (session.getState().dragging) loop.once('dom', draw);
  else draw();
});

let panels = 0;
let stop: (() => void) | null = null;

/** Keeps the lab running until the returned function is called. Those who attach are counted. */
export function attachLab(): () => void {
  if (panels++ === 0) stop = lab.follow();
  return () => {
    // A panel that moves is unmounted and mounted again at once.
    setTimeout(() => {
      if (--panels > 0) return;
      stop?.();
      stop = null;
    }, 0);
  };
}

/**
 * The state of the lab, with the curves that unanswered questions seal. While a panel of it is mounted, the lab
 * follows the session.
 */
export function useLab(): LabState {
  useEffect(() => attachLab(), []);
  const state = useStore(drawn);
  const previewed = state.fan?.path ?? null;
  const opened = useStore(session);
  const steps = useStore(unansweredSteps);
  const sealed = useMemo(
    () => sealedCurves(opened, askedRuns(opened, steps, previewed)),
    [opened, steps, previewed],
  );
  return useMemo(() => ({ ...state, sealed }), [state, sealed]);
}
