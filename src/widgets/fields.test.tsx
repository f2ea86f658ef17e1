import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { useState } from 'react';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { NumberField } from './NumberField';
import { ParameterRow } from './ParameterRow';
import { Slider } from './Slider';

afterEach(cleanup);

function Field({ onCommit }: { onCommit?: (value: number) => void }) {
  const [value, setValue] = useState(8.27);
  return (
    <NumberField
      label="Set-up"
      value={value}
      unit="µs"
      min={0}
      max={20}
      step={0.01}
      decimals={2}
      onCommit={(next) => {
        setValue(next);
        onCommit?.(next);
      }}
    />
  );
}

const field = () => screen.getByRole('spinbutton') as HTMLInputElement;

function type(text: string): void {
  fireEvent.focus(field());
  fireEvent.change(field(), { target: { value: text } });
  fireEvent.keyDown(field(), { key: 'Enter' });
}

describe('a number field', () => {
  test('accepts a typed value in its own unit or another of the same kind', () => {
    const commit = vi.fn();
    render(<Field onCommit={commit} />);
    type('7 us');
    expect(commit).toHaveBeenLastCalledWith(7);
    type('8500 ns');
    expect(commit).toHaveBeenLastCalledWith(8.5);
    expect(field().value).toBe('8.50');
  });

  test('makes one undo step when Enter also moves the focus away', () => {
    const commit = vi.fn();
    render(<Field onCommit={commit} />);
    field().focus();
    type('7');
    expect(document.activeElement).not.toBe(field());
    expect(commit).toHaveBeenCalledTimes(1);
  });

  test('refuses unreadable input with an error and keeps the old value', () => {
    const commit = vi.fn();
    render(<Field onCommit={commit} />);
    type('soon');
    expect(commit).not.toHaveBeenCalled();
    expect(field().value).toBe('8.27');
    expect(screen.getByRole('alert').textContent).toBe(
      '"soon" is not a number. The value is unchanged.',
    );
    expect(field().getAttribute('aria-invalid')).toBe('true');
    type('9');
    expect(screen.queryByRole('alert')).toBeNull();
  });

  test('moves by steps with the arrow keys, by ten with Shift, and stops at its limits', () => {
    render(<Field />);
    fireEvent.keyDown(field(), { key: 'ArrowUp' });
    expect(field().value).toBe('8.28');
    fireEvent.keyDown(field(), { key: 'ArrowDown', shiftKey: true });
    expect(field().value).toBe('8.18');
    type('20');
    fireEvent.keyDown(field(), { key: 'ArrowUp' });
    expect(field().value).toBe('20.00');
  });

  test('discards the input on Escape', () => {
    const commit = vi.fn();
    render(<Field onCommit={commit} />);
    fireEvent.change(field(), { target: { value: '1' } });
    fireEvent.keyDown(field(), { key: 'Escape' });
    fireEvent.blur(field());
    expect(field().value).toBe('8.27');
    expect(commit).not.toHaveBeenCalled();
  });

  test('makes one undo step per drag and reports every move', () => {
    const live = vi.fn();
    const commit = vi.fn();
    const limits = { min: 0, max: 200, step: 1, decimals: 0 };
    render(<NumberField label="N" value={100} {...limits} onInput={live} onCommit={commit} />);
    const target = field();
    target.setPointerCapture = vi.fn();
    target.hasPointerCapture = () => false;
    fireEvent.pointerDown(target, { clientX: 0, button: 0, pointerId: 1 });
    fireEvent.pointerMove(target, { clientX: 8, pointerId: 1 });
    fireEvent.pointerMove(target, { clientX: 40, pointerId: 1 });
    fireEvent.pointerUp(target, { clientX: 40, pointerId: 1 });
    expect(live.mock.calls.map(([value]) => value)).toEqual([102, 110]);
    expect(commit.mock.calls).toEqual([[110]]);
  });
});

describe('a slider', () => {
  function Sliding({
    log = false,
    onCommit = () => {},
  }: {
    log?: boolean;
    onCommit?(v: number): void;
  }) {
    const [value, setValue] = useState(100);
    return (
      <Slider
        label="Size"
        value={value}
        min={1}
        max={10000}
        step={1}
        log={log}
        format={(at) => `${at} B`}
        onInput={setValue}
        onCommit={onCommit}
      />
    );
  }
  const slider = () => screen.getByRole('slider') as HTMLInputElement;

  test('announces its value with the unit', () => {
    render(<Sliding />);
    expect(slider().getAttribute('aria-valuetext')).toBe('100 B');
    expect(slider().getAttribute('aria-valuenow')).toBe('100');
  });

  test('moves by steps of the value on keys; each key press is one undo step', () => {
    const commit = vi.fn();
    render(<Sliding log onCommit={commit} />);
    fireEvent.keyDown(slider(), { key: 'ArrowRight' });
    fireEvent.keyDown(slider(), { key: 'ArrowRight', shiftKey: true });
    fireEvent.keyDown(slider(), { key: 'Home' });
    expect(commit.mock.calls.map(([value]) => value)).toEqual([101, 111, 1]);
  });

  test('the middle of a logarithmic track is the geometric mean', () => {
    render(<Sliding log />);
    fireEvent.change(slider(), { target: { value: '500' } });
    expect(slider().getAttribute('aria-valuenow')).toBe('100');
    fireEvent.change(slider(), { target: { value: '750' } });
    expect(slider().getAttribute('aria-valuenow')).toBe('1000');
  });

  test('commits once at the end of a drag', () => {
    const commit = vi.fn();
    render(<Sliding onCommit={commit} />);
    fireEvent.change(slider(), { target: { value: '300' } });
    fireEvent.change(slider(), { target: { value: '400' } });
    expect(commit).not.toHaveBeenCalled();
    fireEvent.pointerUp(slider());
    fireEvent.blur(slider());
    expect(commit).toHaveBeenCalledTimes(1);
  });
});

test('a parameter row shows the value before the edit, and why a value is refused', () => {
  render(
    <ParameterRow
      label="Read current"
      value={1}
      unit=""
      min={0}
      max={1}
      step={1}
      decimals={0}
      was={0}
      origin={{ basis: 'documented' }}
      refused="Off for consistent memory crashed the real machine."
      onInput={() => {}}
      onCommit={() => {}}
    />,
  );
  expect(screen.getByText('0').tagName).toBe('S');
  expect(screen.getByRole('alert').textContent).toContain('crashed the real machine');
  expect(screen.getByRole('group', { name: 'Read current' })).toBeTruthy();
});
