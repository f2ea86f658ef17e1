import { useEffect, useRef } from 'react';
import { shell } from '../base/shell-state';

const listeners = new Set<(id: string) => void>();

/** An arrangement with tabs receives the panel to show first. */
export function onFocusPanel(listener: (id: string) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** How long a panel may take until it is put up, in ms. */
const PATIENCE = 500;

/** Brings the focus to a panel by id, or to what matters most within it: the first that a selector finds. */
export function focusPanel(id: string, within?: string): void {
  for (const listener of listeners) listener(id);
  const until = performance.now() + PATIENCE;
  const focus = () => {
    const panel = document.getElementById(id);
    const target = within ? panel?.querySelector<HTMLElement>(within) : null;
    if (panel) (target ?? panel).focus();
    else if (performance.now() < until) requestAnimationFrame(focus);
  };
  focus();
}

let last: HTMLElement | null = null;

/**
 * Remembers the panel that had the focus, for commands chosen in a dialog that has it now; a panel put up anew keeps
 * it.
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

/** Where the focus is in its panel: what stands around it, from within, and the place of each in the next. */
interface FocusPlace {
  readonly target: Element;
  readonly around: readonly {
    readonly box: Element;
    readonly at: number;
    readonly inner: number;
  }[];
}

/** Keys that can take away what has the focus. */
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

/** What stands where the focus was: of what has taken the place, or is next to it, the same control. */
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

/** What is taken away while it has the focus hands it to its neighbour: the keyboard goes on from there. */
function keepFocus(): void {
  let place: FocusPlace | null = null;
  const note = () => {
    const { activeElement } = document;
    place = activeElement && placeOf(activeElement);
  };
  const look = () => {
    if (!place || place.target.isConnected) return;
    const lost = place;
    place = null;
    if (document.activeElement && document.activeElement !== document.body) return;
    neighbourOf(lost)?.focus();
    // What has it now may be taken away in the same step.
    note();
  };
  document.addEventListener('click', note, true);
  document.addEventListener(
    'keydown',
    ({ key }) => {
      if (TAKES_AWAY.includes(key)) note();
    },
    true,
  );
  new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
}

const panelOf = (element: Element | null): HTMLElement | null =>
  element?.closest<HTMLElement>('[data-sheet]') ?? null;

/** The panel that M and T mean: with the focus, else under the pointer, else the last, else the first. */
export function currentPanel(): HTMLElement | null {
  const focused = panelOf(document.activeElement);
  const hovered = [...document.querySelectorAll<HTMLElement>('[data-sheet]:hover')].at(-1);
  const remembered = last?.isConnected ? last : null;
  return (
    focused ?? hovered ?? remembered ?? document.querySelector<HTMLElement>('main [data-sheet]')
  );
}

/** A button and no link: the fragment is the address of the page, and a link would change it. */
export function skipToMain(): void {
  document.getElementById('main')?.focus();
}

/**
 * Who comes to another place begins at its contents: what was pressed to get there has gone, or belongs to the
 * frame. A place that has put the focus into its contents by itself keeps it there; a dialog ends first.
 */
export function useFocusOnArrival(place: string, isUnderDialog: boolean): void {
  const at = useRef(place);
  useEffect(() => {
    if (isUnderDialog || at.current === place) return;
    at.current = place;
    // Where the page opens, the keyboard begins at its very start.
    if (navigator.userActivation?.hasBeenActive === false) return;
    if (!document.getElementById('main')?.contains(document.activeElement)) skipToMain();
  }, [place, isUnderDialog]);
}
