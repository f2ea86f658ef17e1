/**
 * Key presses as texts. "Ctrl" stands for the platform's command key. Shift is part of a name only for
 * letters and named keys: "?" is "?" however the layout makes it.
 */
export interface KeyPress {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
  /** Physical key; tells Alt+1 from the character that Alt makes of it. */
  readonly code?: string;
}

/** The name of a key press: "Ctrl+Shift+Z", "Alt+3", "W", "Space", "?". */
export function nameOf(press: KeyPress): string {
  let key = press.key === ' ' ? 'Space' : press.key;
  const physical = /^(?:Key|Digit)(.)$/.exec(press.code ?? '')?.[1];
  if (press.altKey && physical) key = physical;
  const letter = /^\p{L}$/u.test(key);
  if (letter) key = key.toUpperCase();
  const parts: string[] = [];
  if (press.ctrlKey || press.metaKey) parts.push('Ctrl');
  if (press.altKey) parts.push('Alt');
  if (press.shiftKey && (letter || key.length > 1)) parts.push('Shift');
  parts.push(key);
  return parts.join('+');
}

/** A key that types a character: these are off in fields and can be turned off altogether. */
export const isSingleCharacter = (name: string): boolean =>
  name === 'Space' || /^(?:Shift\+)?.$/u.test(name);

const SYMBOLS: Readonly<Record<string, string>> = {
  ArrowLeft: '←',
  ArrowRight: '→',
  ArrowUp: '↑',
  ArrowDown: '↓',
  Escape: 'Esc',
};

/** How a key press is printed: "Ctrl Shift Z", "→". */
export const printed = (name: string): string =>
  name === '+'
    ? name
    : name
        .split('+')
        .map((part) => SYMBOLS[part] ?? part)
        .join(' ');
