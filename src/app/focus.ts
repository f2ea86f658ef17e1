import { useEffect, useRef } from 'react';
import { shell } from '../base/shell';

const listeners = new Set<(id: string) => void>();

/** An arrangement with tabs is told which panel it has to show first. */
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

/** Remembers the panel that had the focus, for commands chosen in a dialog that has it now; a panel put up anew keeps it. */
export function startFocus(): void {
  document.addEventListener('focusin', (event) => {
    last = panelOf(event.target as Element) ?? last;
  });
  shell.subscribe(({ maximised }, before) => {
    const id = maximised ?? before.maximised;
    if (maximised === before.maximised || !id || panelOf(document.activeElement)?.id !== id) return;
    requestAnimationFrame(() => focusPanel(id));
  });
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
export function useArrival(place: string, isUnderDialog: boolean): void {
  const at = useRef(place);
  useEffect(() => {
    if (isUnderDialog || at.current === place) return;
    at.current = place;
    // Where the page opens, the keyboard begins at its very start.
    if (navigator.userActivation?.hasBeenActive === false) return;
    if (!document.getElementById('main')?.contains(document.activeElement)) skipToMain();
  }, [place, isUnderDialog]);
}
