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

test('nothing takes the focus when the page opens', () => {
  render(<Page place="gallery" />);
  expect(document.activeElement).toBe(document.body);
});

test('the focus moves to the contents of the next view when the pressed control disappears', () => {
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

test('a dialog that opened the view is closed first', () => {
  const { rerender } = render(<Page place="gallery" isUnderDialog />);
  rerender(<Page place="lessons" isUnderDialog />);
  expect(document.activeElement).toBe(document.body);
  rerender(<Page place="lessons" />);
  expect(document.activeElement).toBe(main());
});

test('a panel that is mounted some frames after the request gets the focus', async () => {
  focusPanel('late');
  await new Promise((done) => setTimeout(done, 60));
  render(<section id="late" aria-label="Late" tabIndex={-1} />);
  await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText('Late')));
});
