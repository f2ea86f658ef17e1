/**
 * Says on the root element whether the page is at rest: `data-busyard` is "busy" while something is opened, fetched or
 * computed, while a frame or an animation is due, and after each input until the page has answered it; else "rest". Tests wait
 * for that, and scripts of others may.
 */
import { activity } from '../base/activity';

/** What a page has, and a test brings. */
interface Host {
  readonly root: HTMLElement;
  /** Calls back when nothing else is to be done. */
  idle(then: () => void): void;
}

const INPUTS = ['pointerdown', 'pointerup', 'click', 'keydown', 'keyup', 'input', 'change'];
const PLACES = ['wheel', 'drop', 'hashchange', 'popstate', 'resize'];

/** Whether something moves that comes to an end by itself. */
const isMoving = (document: Document): boolean =>
  (document.getAnimations?.() ?? []).some(
    ({ playState, effect }) =>
      playState === 'running' && Number.isFinite(effect?.getComputedTiming().endTime),
  );

/** Milliseconds after which a page that draws without a break is asked all the same. */
const PATIENCE_MS = 250;

/** Safari has no idle time to give away; a task later is near enough. */
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

  /** What is drawn because of the last answer is drawn in the first idle moment, and what comes of that in the second. */
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
