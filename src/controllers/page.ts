/** The lab of the page: follows the open session while any of its panels is there. */
import { loop } from '../base/loop';
import { createSweepWorkers, createWorkerEngine } from '../engine/workers';
import { Lab } from '../model/lab/lab';
import { setEdits, setParam } from '../model/session/editing';
import { session, setView } from '../model/session/session';

export const lab = new Lab({
  createEngine: createWorkerEngine,
  createSweeper: () => createSweepWorkers(),
  session,
  setParam,
  setEdits,
  setView,
  soon: (flush) => loop.once('advance', flush),
});

let panels = 0;
let stop: (() => void) | null = null;

/** Keeps the lab running until the returned function is called; every panel of it asks for itself. */
export function attachLab(): () => void {
  if (panels++ === 0) stop = lab.follow();
  return () => {
    // A panel that moves to another place leaves and comes back at once.
    setTimeout(() => {
      if (--panels > 0) return;
      stop?.();
      stop = null;
    }, 0);
  };
}
