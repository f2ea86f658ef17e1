/** Brings the focus to a panel by id, also when an arrangement with tabs has to show it first. */
const listeners = new Set<(id: string) => void>();

export function onFocusPanel(listener: (id: string) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Or to what matters most within it: the first that a selector finds. */
export function focusPanel(id: string, within?: string): void {
  for (const listener of listeners) listener(id);
  const focus = () => {
    const panel = document.getElementById(id);
    const target = within ? panel?.querySelector<HTMLElement>(within) : null;
    (target ?? panel)?.focus();
  };
  if (document.getElementById(id)) focus();
  else requestAnimationFrame(focus);
}

let last: HTMLElement | null = null;

/** Remembers the panel that had the focus, for commands chosen in a dialog that has it now. */
export function startFocus(): void {
  document.addEventListener('focusin', (event) => {
    last = panelOf(event.target as Element) ?? last;
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
