import { describe, expect, test } from 'vitest';
import { isSingleCharacter, nameOf, printed } from './keys';

const press = (key: string, held: Partial<Parameters<typeof nameOf>[0]> = {}) =>
  nameOf({ key, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...held });

describe('the name of a key press', () => {
  test.each([
    [press('l'), 'L'],
    [press('W', { shiftKey: true }), 'Shift+W'],
    [press('?', { shiftKey: true }), '?'],
    [press(' '), 'Space'],
    [press('k', { ctrlKey: true }), 'Ctrl+K'],
    [press('k', { metaKey: true }), 'Ctrl+K'],
    [press('Z', { ctrlKey: true, shiftKey: true }), 'Ctrl+Shift+Z'],
    [press('ArrowRight'), 'ArrowRight'],
    [press('ArrowRight', { shiftKey: true }), 'Shift+ArrowRight'],
    [press('¡', { altKey: true, code: 'Digit1' }), 'Alt+1'],
    [press('+', { shiftKey: true }), '+'],
  ])('%s', (name, expected) => {
    expect(name).toBe(expected);
  });

  test('only plain characters count as single-letter keys', () => {
    expect(['L', 'Shift+W', '?', 'Space', '.'].every(isSingleCharacter)).toBe(true);
    expect(['Ctrl+K', 'Alt+1', 'ArrowRight', 'Escape', 'Home'].some(isSingleCharacter)).toBe(false);
  });

  test('it is printed as on the keyboard', () => {
    expect(printed('Ctrl+Shift+Z')).toBe('Ctrl Shift Z');
    expect(printed('ArrowRight')).toBe('→');
    expect(printed('+')).toBe('+');
  });
});
