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

/** A panel whose field is loaded later, and a button elsewhere. */
const Loading = ({ isLoaded }: { readonly isLoaded: boolean }) => (
  <>
    <button type="button">Elsewhere</button>
    <section id="loading" aria-label="Loading" tabIndex={-1}>
      {isLoaded && <input aria-label="Field" />}
    </section>
  </>
);

const aWhile = () => new Promise((done) => setTimeout(done, 60));

test('a field that its panel loads gets the focus from the panel when it is there', async () => {
  const { rerender } = render(<Loading isLoaded={false} />);
  focusPanel('loading', 'input');
  expect(document.activeElement).toBe(screen.getByRole('region', { name: 'Loading' }));
  await aWhile();
  rerender(<Loading isLoaded />);
  await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText('Field')));
});

test('a field that is loaded late takes no focus that has moved on', async () => {
  const { rerender } = render(<Loading isLoaded={false} />);
  focusPanel('loading', 'input');
  screen.getByText('Elsewhere').focus();
  rerender(<Loading isLoaded />);
  await aWhile();
  expect(document.activeElement).toBe(screen.getByText('Elsewhere'));
});
