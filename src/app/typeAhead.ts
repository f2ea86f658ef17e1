/** Keeps the letters typed while the palette is loading, for its field. */
import { isSingleCharacter } from '../base/keys';
import { shell } from '../base/shell-state';

let typed = '';

/** Whether the palette was requested and is not shown yet. */
const isAwaited = (): boolean =>
  shell.getState().overlay === 'palette' && document.querySelector('[cmdk-input]') === null;

/** Takes a key press meant for the palette's field; true if it was one. */
export function typeAhead({ key, ctrlKey, metaKey, altKey }: KeyboardEvent, name: string): boolean {
  if (!isAwaited()) return false;
  if (name === 'Backspace') typed = typed.slice(0, -1);
  else if (name === 'Escape') shell.setState({ overlay: null });
  else if ((isSingleCharacter(name) || key.length === 1) && !ctrlKey && !metaKey && !altKey)
    typed += key;
  else return false;
  return true;
}

/** Returns the typed letters, once. */
export function takeTyped(): string {
  const text = typed;
  typed = '';
  return text;
}

shell.subscribe(({ overlay }) => {
  if (overlay !== 'palette') typed = '';
});
