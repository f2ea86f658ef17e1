import { useEffect, useRef } from 'react';
import { shell } from '../base/shell-state';
import { lessonPanels, openedPanel, showAllPanels } from '../model/lesson/lesson-panels';

const listeners = new Set<(id: string) => void>();

/** Layouts with tabs receive the id of the panel to show first. */
export function onFocusPanel(listener: (id: string) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

// A panel that a step of a lesson opens comes up, but the focus stays with the reader. The layout may be about to
// listen anew: the step changes in the same update.
openedPanel.subscribe(({ id }) => {
  if (id === null) return;
  queueMicrotask(() => {
    for (const listener of listeners) listener(id);
  });
});

/** The heading of the visible step within the panel of the lesson. */
export const STEP_HEADING = '[data-step]';

/** Longest wait for a panel to be mounted, or for its drawer to open, in ms. */
const PATIENCE = 500;

/** Focuses a panel by id, or within it the first match of a selector. */
export function focusPanel(id: string, within?: string): void {
  if (lessonPanels.getState()?.has(id) === false) {
    showAllPanels();
    // The layout knows the panel only after it is rendered.
    requestAnimationFrame(() => {
      for (const listener of listeners) listener(id);
    });
  }
  for (const listener of listeners) listener(id);
  const until = performance.now() + PATIENCE;
  const focus = () => {
    const panel = document.getElementById(id);
    if (panel && !panel.closest('[inert]')) focusIn(panel, within);
    else if (performance.now() < until) requestAnimationFrame(focus);
  };
  focus();
}

/** Longest wait for what a panel loads, such as a text editor, in ms. */
const LOADING = 10_000;

/** Focuses the panel, and what is asked for within it when it is loaded, unless the focus has moved on. */
function focusIn(panel: HTMLElement, within: string | undefined): void {
  const reaches = (): boolean => {
    const goal = within
      ? document.getElementById(panel.id)?.querySelector<HTMLElement>(within)
      : panel;
    goal?.focus();
    return goal?.contains(document.activeElement) ?? false;
  };
  if (reaches()) return;
  panel.focus();
  const until = performance.now() + LOADING;
  const again = () => {
    const isWaiting = document.activeElement?.id === panel.id && performance.now() < until;
    if (isWaiting && !reaches()) requestAnimationFrame(again);
  };
  if (within) requestAnimationFrame(again);
}

let last: HTMLElement | null = null;

/**
 * Remembers the focused panel for commands chosen in a dialog. A panel that is mounted again keeps the focus.
 */
export function startFocus(): void {
  keepFocus();
  document.addEventListener('focusin', (event) => {
    last = panelOf(event.target as Element) ?? last;
  });
  shell.subscribe(({ maximised }, before) => {
    const id = maximised ?? before.maximised;
    if (maximised === before.maximised || !id || panelOf(document.activeElement)?.id !== id) return;
    requestAnimationFrame(() => focusPanel(id));
  });
}

/**
 * The focus within its panel: the surrounding elements from the inside out, with the index of each in its
 * parent.
 */
interface FocusPlace {
  readonly target: Element;
  readonly around: readonly {
    readonly box: Element;
    readonly at: number;
    readonly inner: number;
  }[];
}

/** Keys that may remove the focused element. */
const TAKES_AWAY: readonly string[] = ['Enter', ' ', 'Delete', 'Backspace'];

const FOCUSABLE =
  'a[href], button:not(:disabled), input:not(:disabled), select:not(:disabled), textarea:not(:disabled), summary, [tabindex]';

const focusablesIn = (box: Element): HTMLElement[] =>
  [box, ...box.querySelectorAll(FOCUSABLE)].filter(
    (one): one is HTMLElement => one.matches(FOCUSABLE) && !one.matches('[data-sheet]'),
  );

function placeOf(target: Element): FocusPlace | null {
  const sheet = panelOf(target);
  if (!sheet || sheet === target) return null;
  const around = [];
  for (let child = target; child !== sheet; ) {
    const box = child.parentElement as Element;
    const inner = focusablesIn(child).indexOf(target as HTMLElement);
    around.push({ box, at: [...box.children].indexOf(child), inner });
    child = box;
  }
  return { target, around };
}

/** The nearest remaining control: the same control of the element that took its place or is next to it. */
function neighbourOf({ around }: FocusPlace): HTMLElement | null {
  for (const { box, at, inner } of around) {
    if (!box.isConnected) continue;
    const all = [...box.children];
    for (const one of [...all.slice(at), ...all.slice(0, at).reverse()]) {
      const inside = focusablesIn(one);
      const found = inside[Math.min(inner, inside.length - 1)];
      if (found) return found;
    }
  }
  return null;
}

/**
 * Moves the focus to a neighbour when the focused element is removed, so that the keyboard continues from
 * there.
 */
function keepFocus(): void {
  let place: FocusPlace | null = null;
  const rememberPlace = () => {
    const { activeElement } = document;
    place = activeElement && placeOf(activeElement);
  };
  const handOn = () => {
    if (!place || place.target.isConnected) return;
    const lost = place;
    place = null;
    if (document.activeElement && document.activeElement !== document.body) return;
    neighbourOf(lost)?.focus();
    // The newly focused element may be removed in the same step.
    rememberPlace();
  };
  document.addEventListener('click', rememberPlace, true);
  document.addEventListener(
    'keydown',
    ({ key }) => {
      if (TAKES_AWAY.includes(key)) rememberPlace();
    },
    true,
  );
  new MutationObserver(handOn).observe(document.body, { childList: true, subtree: true });
}

const panelOf = (element: Element | null): HTMLElement | null =>
  element?.closest<HTMLElement>('[data-sheet]') ?? null;

/** The panel for M and T: the focused one, else the hovered, else the last focused, else the first. */
export function currentPanel(): HTMLElement | null {
  const focused = panelOf(document.activeElement);
  const hovered = [...document.querySelectorAll<HTMLElement>('[data-sheet]:hover')].at(-1);
  const remembered = last?.isConnected ? last : null;
  return (
    focused ?? hovered ?? remembered ?? document.querySelector<HTMLElement>('main [data-sheet]')
  );
}

/** Called by a button: a link would change the fragment, which is the page's address. */
export function skipToMain(): void {
  document.getElementById('main')?.focus();
}

/** Calls back once the panel of the lesson is on the page, unless the focus has moved on or it is late. */
function whenLessonIsThere(then: () => void): void {
  const until = performance.now() + LOADING;
  const look = () => {
    if (document.activeElement?.id !== 'main' || performance.now() > until) return;
    if (document.querySelector(`#lesson ${STEP_HEADING}`)) then();
    else requestAnimationFrame(look);
  };
  look();
}

/**
 * Focuses the contents after a change of view, since the pressed control has gone or belongs to the frame.
 * Contents that took the focus themselves keep it. An open dialog is closed first.
 */
export function useFocusOnArrival(place: string, isUnderDialog: boolean): void {
  const at = useRef(place);
  useEffect(() => {
    if (isUnderDialog || at.current === place) return;
    at.current = place;
    // After loading, the keyboard starts at the top of the page.
    if (navigator.userActivation?.hasBeenActive === false) return;
    const main = document.getElementById('main');
    if (main?.contains(document.activeElement)) return;
    skipToMain();
    // Who came by keyboard wants to read on; with a mouse, keys stay with what it points at.
    if (main?.matches(':focus-visible'))
      whenLessonIsThere(() => focusPanel('lesson', STEP_HEADING));
  }, [place, isUnderDialog]);
}
