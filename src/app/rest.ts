/**
 * Reports on the root element whether the page is at rest. `data-busyard` is "busy" while a document is
 * opened, data is fetched or computed, a frame or animation is pending, or an input has not been handled;
 * otherwise "rest". Tests and scripts can wait for it.
 */
import { activity } from '../base/activity';

/** Parts of the page that tests replace. */
interface Host {
  readonly root: HTMLElement;
  /** Calls back when the page is idle. */
  idle(then: () => void): void;
}

const INPUTS = ['pointerdown', 'pointerup', 'click', 'keydown', 'keyup', 'input', 'change'];
const PLACES = ['wheel', 'drop', 'hashchange', 'popstate', 'resize'];

/** Whether a finite animation is running. */
const isMoving = (document: Document): boolean =>
  (document.getAnimations?.() ?? []).some(
    ({ playState, effect }) =>
      playState === 'running' && Number.isFinite(effect?.getComputedTiming().endTime),
  );

/** Milliseconds after which the callback runs even if the page never becomes idle. */
const PATIENCE_MS = 250;

/** Safari has no requestIdleCallback; a timer is close enough. */
const idle = (then: () => void): void => {
  if (typeof requestIdleCallback === 'function')
    requestIdleCallback(then, { timeout: PATIENCE_MS });
  else setTimeout(then, 50);
};

export function startRest(
  { root, idle: whenIdle }: Host = { root: document.documentElement, idle },
) {
  let newest = 0;
  const isAnother = (turn: number) => turn !== newest || activity.getState().running > 0;

  /** Two idle moments: results are rendered in the first, and their consequences in the second. */
  function settle(): void {
    const turn = ++newest;
    whenIdle(() => {
      if (isAnother(turn)) return;
      whenIdle(() => {
        if (isAnother(turn)) return;
        if (isMoving(root.ownerDocument)) settle();
        else root.dataset.busyard = 'rest';
      });
    });
  }

  function disturbed(): void {
    newest++;
    if (root.dataset.busyard !== 'busy') root.dataset.busyard = 'busy';
    if (activity.getState().running === 0) settle();
  }

  for (const name of [...INPUTS, ...PLACES])
    root.ownerDocument.defaultView?.addEventListener(name, disturbed, {
      capture: true,
      passive: true,
    });
  const stop = activity.subscribe(disturbed);
  disturbed();
  return stop;
}
