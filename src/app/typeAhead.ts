/** Letters that are typed while the palette is fetched: they are kept for its field. */
import { isSingleCharacter } from '../base/keys';
import { shell } from '../base/shell-state';

let typed = '';

/** Whether the palette was asked for and is not shown yet. */
const isAwaited = (): boolean =>
  shell.getState().overlay === 'palette' && document.querySelector('[cmdk-input]') === null;

/** Takes a press that belongs into the field of the palette; answers whether it was one. */
export function typeAhead({ key, ctrlKey, metaKey, altKey }: KeyboardEvent, name: string): boolean {
  if (!isAwaited()) return false;
  if (name === 'Backspace') typed = typed.slice(0, -1);
  else if (name === 'Escape') shell.setState({ overlay: null });
  else if ((isSingleCharacter(name) || key.length === 1) && !ctrlKey && !metaKey && !altKey)
    typed += key;
  else return false;
  return true;
}

/** Hands out what was typed, once. */
export function takeTyped(): string {
  const text = typed;
  typed = '';
  return text;
}

shell.subscribe(({ overlay }) => {
  if (overlay !== 'palette') typed = '';
});
