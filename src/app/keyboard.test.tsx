import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { commands } from '../base/commands';
import { shell } from '../base/shell-state';
import { startKeyboard } from './keyboard';

const play = vi.fn();
const step = vi.fn();
const save = vi.fn();
let stop: () => void;

beforeAll(() => {
  stop = startKeyboard();
  const section = 'Test';
  commands.add({ id: 'lecture', title: 'L', section, keys: ['L'], run: play });
  commands.add({ id: 'play', title: 'Play', section, keys: ['Space'], run: play });
  commands.add({ id: 'step', title: 'Step', section, keys: ['ArrowRight'], run: step });
  commands.add({ id: 'save', title: 'Save', section, keys: ['Ctrl+S'], run: save });
});
afterAll(() => stop());
beforeEach(() => {
  vi.clearAllMocks();
  shell.setState({ singleKeys: true, overlay: null });
});
afterEach(cleanup);

const press = (target: Element, key: string, held = {}) =>
  fireEvent.keyDown(target, { key, ...held });

describe('a key', () => {
  test('runs its command and is kept from the browser', () => {
    expect(press(document.body, 'l')).toBe(false);
    expect(play).toHaveBeenCalledTimes(1);
    expect(press(document.body, 'y')).toBe(true);
  });

  test('that is a letter belongs to a focused text field', () => {
    render(<input aria-label="name" />);
    press(screen.getByLabelText('name'), 'l');
    expect(play).not.toHaveBeenCalled();
    press(screen.getByLabelText('name'), 's', { ctrlKey: true });
    expect(save).toHaveBeenCalledTimes(1);
  });

  test('that operates a control stays with the control', () => {
    render(
      <>
        <input type="range" aria-label="size" />
        <div role="tablist">
          <button type="button">tab</button>
        </div>
        <button type="button">press</button>
      </>,
    );
    press(screen.getByLabelText('size'), 'ArrowRight');
    press(screen.getByText('tab'), 'ArrowRight');
    press(screen.getByText('press'), ' ');
    expect(step).not.toHaveBeenCalled();
    expect(play).not.toHaveBeenCalled();
    press(screen.getByText('press'), 'ArrowRight');
    press(screen.getByLabelText('size'), 'l');
    expect(step).toHaveBeenCalledTimes(1);
    expect(play).toHaveBeenCalledTimes(1);
  });

  test('that is a single letter can be disabled; the others stay', () => {
    shell.setState({ singleKeys: false });
    press(document.body, 'l');
    press(document.body, ' ');
    press(document.body, 'ArrowRight');
    expect(play).not.toHaveBeenCalled();
    expect(step).toHaveBeenCalledTimes(1);
  });

  test('does nothing under a dialog', () => {
    shell.setState({ overlay: 'palette' });
    press(document.body, 'l');
    expect(play).not.toHaveBeenCalled();
  });

  test('runs the newest available command that has it', () => {
    const newer = vi.fn();
    let can = true;
    const take = commands.add({
      id: 'mounted',
      title: 'Mounted',
      section: 'Test',
      keys: ['L'],
      run: newer,
      when: () => can,
    });
    press(document.body, 'l');
    can = false;
    press(document.body, 'l');
    take();
    expect(newer).toHaveBeenCalledTimes(1);
    expect(play).toHaveBeenCalledTimes(1);
  });
});
