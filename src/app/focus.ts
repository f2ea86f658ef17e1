/** Brings the focus to a panel by id, also when an arrangement with tabs has to show it first. */
const listeners = new Set<(id: string) => void>();

export function onFocusPanel(listener: (id: string) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function focusPanel(id: string): void {
  for (const listener of listeners) listener(id);
  requestAnimationFrame(() => document.getElementById(id)?.focus());
}

/** The panel that M and T mean: the one with the focus, else the one under the pointer, else the first. */
export function currentPanel(): HTMLElement | null {
  const focused = document.activeElement?.closest<HTMLElement>('[data-panel]');
  const hovered = [...document.querySelectorAll<HTMLElement>('[data-panel]:hover')].at(-1);
  return focused ?? hovered ?? document.querySelector<HTMLElement>('main [data-panel]');
}
