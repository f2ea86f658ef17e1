import { shell } from '../base/shell-state';
import type { RunPlayer } from '../model/session/open-run';
import type { Step } from '../model/session/stepping';

/** A step forwards as a short film; with reduced motion at once. */
export const stepForward = (player: RunPlayer, unit?: Step): Promise<unknown> =>
  shell.getState().reducedMotion ? player.step(1, unit) : player.playStep(unit);
