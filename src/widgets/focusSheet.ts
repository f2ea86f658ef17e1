/** Moves the focus to the panel around an element, for controls that disappear when pressed. */
export const focusSheet = (within: HTMLElement): void =>
  within.closest<HTMLElement>('[data-sheet]')?.focus();
