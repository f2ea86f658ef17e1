/** Keeps the keys pressed while the palette is loading, for its field. */
import { isSingleCharacter } from '../base/keys';
import { shell } from '../base/shell-state';

/** Letters, and whether Enter ended them. */
let typed = '';
let isEntered = false;

/** Whether the palette was requested and is not shown yet. */
const isAwaited = (): boolean =>
  shell.getState().overlay === 'palette' && document.querySelector('[cmdk-input]') === null;

/** Takes a key press meant for the palette's field; true if it was one. */
export function typeAhead({ key, ctrlKey, metaKey, altKey }: KeyboardEvent, name: string): boolean {
  if (!isAwaited()) return false;
  if (name === 'Backspace') typed = typed.slice(0, -1);
  else if (name === 'Escape') shell.setState({ overlay: null });
  else if (name === 'Enter') isEntered = true;
  else if ((isSingleCharacter(name) || key.length === 1) && !ctrlKey && !metaKey && !altKey)
    typed += key;
  else return false;
  return true;
}

function forget(): void {
  typed = '';
  isEntered = false;
}

/** Returns the typed letters and whether Enter was pressed, once. */
export function takeTyped(): { readonly text: string; readonly isEntered: boolean } {
  const taken = { text: typed, isEntered };
  forget();
  return taken;
}

shell.subscribe(({ overlay }) => {
  if (overlay !== 'palette') forget();
});
