/** Thumbnails of the gallery play on hover and focus, once, and not at all with reduced motion. */
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { loop } from '../../base/loop';
import { shell } from '../../base/shell-state';
import { usePlayed } from './usePlayed';

let frame: ((now: number) => void) | null = null;
loop.attach({
  request(callback) {
    frame = callback;
    return 1;
  },
  cancel() {},
});

let now = 0;
/** Lets time pass on the page. */
function pass(ms: number): void {
  for (let left = ms; left > 0; left -= 50)
    act(() => {
      now += 50;
      frame?.(now);
    });
}

afterEach(() => {
  cleanup();
  shell.setState({ reducedMotion: false });
});

function Column() {
  const { thumb, frame: shown, column } = usePlayed(10);
  return (
    <section {...column}>
      <div ref={thumb} data-testid="thumb">
        picture {shown}
      </div>
      <a href="#there">there</a>
    </section>
  );
}

const picture = () => screen.getByTestId('thumb').textContent;
const played = () => screen.getByTestId('thumb').style.getPropertyValue('--played');

test.each([
  ['hover', () => fireEvent.pointerEnter(screen.getByTestId('thumb').parentElement as Element)],
  ['focus', () => fireEvent.focus(screen.getByRole('link'))],
])('plays on %s from its first picture to its last, and then stands still', (_, begin) => {
  render(<Column />);
  expect(picture()).toBe('picture 9');
  begin();
  expect(picture()).toBe('picture 0');
  pass(1500);
  expect(Number(played())).toBeGreaterThan(0.3);
  expect(Number(played())).toBeLessThan(0.7);
  pass(3000);
  expect([picture(), played()]).toEqual(['picture 9', '1.000']);
});

test('returns to its last picture when the pointer leaves', () => {
  render(<Column />);
  const column = screen.getByTestId('thumb').parentElement as Element;
  fireEvent.pointerEnter(column);
  pass(500);
  fireEvent.pointerLeave(column);
  expect([picture(), played()]).toEqual(['picture 9', '1.000']);
});

test('stands still with reduced motion', () => {
  shell.setState({ reducedMotion: true });
  render(<Column />);
  fireEvent.pointerEnter(screen.getByTestId('thumb').parentElement as Element);
  pass(500);
  expect([picture(), played()]).toEqual(['picture 9', '']);
});
