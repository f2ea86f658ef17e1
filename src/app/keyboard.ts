/** The keyboard map: one listener that runs the command of a key, unless a control needs the key. */
import { type Command, commands, isAvailable } from '../base/commands';
import { isSingleCharacter, nameOf } from '../base/keys';
import { shell } from '../base/shell-state';
import { typeAhead } from './typeAhead';

const TEXT_FIELDS =
  'input:not([type="range"], [type="radio"], [type="checkbox"]), textarea, select';
const OWN_ARROWS =
  'input, textarea, select, [role="tablist"], [role="menu"], [role="grid"], [role="slider"], [role="separator"], [role="listbox"], [data-own-keys]';
const PRESSED_BY_SPACE = 'button, a[href], summary, input, [role="button"], [role="menuitem"]';
const ARROWS = /^(Shift\+)?(Arrow(Left|Right|Up|Down)|Home|End|PageUp|PageDown)$/;

export function startKeyboard(): () => void {
  window.addEventListener('keydown', onKeyDown);
  return () => window.removeEventListener('keydown', onKeyDown);
}

function onKeyDown(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing) return;
  const name = nameOf(event);
  if (typeAhead(event, name)) {
    event.preventDefault();
    return;
  }
  // Inside a shadow root, the event's own target is its host.
  if (isTakenByControl(name, event.composedPath()[0] as Element | null)) return;
  const { singleKeys, overlay } = shell.getState();
  if (isSingleCharacter(name) && !singleKeys) return;
  if (overlay && name !== 'Ctrl+K') return;
  const command = commandFor(name);
  if (!command) return;
  event.preventDefault();
  command.run(name);
}

/** The newest available command with this key: those of mounted panels precede the shell's. */
const commandFor = (name: string): Command | undefined =>
  commands
    .getState()
    .toReversed()
    .find((command) => command.keys?.includes(name) && isAvailable(command));

/** Letters belong to a text field in use, arrows to a control that they operate. */
function isTakenByControl(name: string, target: Element | null): boolean {
  if (!target?.closest) return false;
  if (isSingleCharacter(name) || /^(Ctrl\+)?(Shift\+)?[ZYACVX]$/.test(name)) {
    if (target.closest(TEXT_FIELDS) || target.closest('[contenteditable="true"]')) return true;
  }
  if (name === 'Space' || name === 'Enter') return target.closest(PRESSED_BY_SPACE) !== null;
  if (ARROWS.test(name)) return target.closest(OWN_ARROWS) !== null;
  return false;
}
