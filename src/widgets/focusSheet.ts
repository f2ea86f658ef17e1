/** The panel that something lies in takes the focus, where what had it goes away when it is pressed. */
export const focusSheet = (within: HTMLElement): void =>
  within.closest<HTMLElement>('[data-sheet]')?.focus();
