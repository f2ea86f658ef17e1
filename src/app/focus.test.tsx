import { cleanup, render, screen, waitFor } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { focusPanel, useFocusOnArrival } from './focus';

afterEach(cleanup);

interface PageProps {
  readonly place: string;
  readonly isUnderDialog?: boolean;
}

function Page({ place, isUnderDialog = false }: PageProps) {
  useFocusOnArrival(place, isUnderDialog);
  return (
    <>
      <button type="button">Key help</button>
      <main id="main" tabIndex={-1}>
        <input key={place} aria-label={`Find in ${place}`} />
        <input aria-label="Time" />
      </main>
    </>
  );
}

const main = () => screen.getByRole('main');

test('where the page opens, nothing takes the focus', () => {
  render(<Page place="gallery" />);
  expect(document.activeElement).toBe(document.body);
});

test('what was pressed goes with its view, and the focus comes to the contents of the next', () => {
  const { rerender } = render(<Page place="gallery" />);
  screen.getByLabelText('Find in gallery').focus();
  rerender(<Page place="lessons" />);
  expect(document.activeElement).toBe(main());
  screen.getByText('Key help').focus();
  rerender(<Page place="glossary" />);
  expect(document.activeElement).toBe(main());
});

test('a control that is in both views keeps the focus', () => {
  const { rerender } = render(<Page place="machine" />);
  screen.getByLabelText('Time').focus();
  rerender(<Page place="compare" />);
  expect(document.activeElement).toBe(screen.getByLabelText('Time'));
});

test('a dialog through which one came is left first', () => {
  const { rerender } = render(<Page place="gallery" isUnderDialog />);
  rerender(<Page place="lessons" isUnderDialog />);
  expect(document.activeElement).toBe(document.body);
  rerender(<Page place="lessons" />);
  expect(document.activeElement).toBe(main());
});

test('a panel that is put up some frames after it was asked for gets the focus', async () => {
  focusPanel('late');
  await new Promise((done) => setTimeout(done, 60));
  render(<section id="late" aria-label="Late" tabIndex={-1} />);
  await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText('Late')));
});
