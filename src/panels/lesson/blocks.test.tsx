import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { markTerms } from '../../model/lesson/glossary';
import { parseLesson } from '../../model/lesson/lesson';
import { Blocks } from './Blocks';

afterEach(cleanup);

test('marking terms once the glossary is loaded does not replace the links after them', () => {
  const blocks =
    parseLesson('# Title\n\nThe DMA of the [card](part:card) ends.').steps[0]?.blocks ?? [];
  const what = { theme: 'Buses', what: '', where: '', lesson: '' };
  const terms = [{ term: 'DMA', forms: ['DMA'], ...what }];
  const { rerender } = render(<Blocks blocks={blocks} />);
  const link = screen.getByText('card');
  rerender(<Blocks blocks={markTerms(blocks, terms)} />);
  expect(screen.getByText('DMA')).toBeTruthy();
  expect(screen.getByText('card')).toBe(link);
});

test('punctuation stays with a bold term and with a possessive before it', () => {
  const text = "# Title\n\nThe bus's clock drives a **device**.";
  const what = { theme: 'Buses', what: '', where: '', lesson: '' };
  const terms = ['bus', 'device'].map((term) => ({ term, forms: [term], ...what }));
  const { container } = render(
    <Blocks blocks={markTerms(parseLesson(text).steps[0]?.blocks ?? [], terms)} />,
  );
  expect(container.textContent).toBe("The bus's clock drives a device.");
  const kept = [...container.querySelectorAll('span')].map((one) => one.textContent);
  expect(kept).toEqual(expect.arrayContaining(["bus's", 'device.']));
});
