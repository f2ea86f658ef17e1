/** Saves data of the page as a file, by the browser's download. */
import { announce } from '../base/notices';

export function download(name: string, contents: Blob | string, type = 'text/plain'): void {
  const blob = typeof contents === 'string' ? new Blob([contents], { type }) : contents;
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // By the next task the download has its own reference to the data.
  setTimeout(() => URL.revokeObjectURL(url), 0);
  announce(`Saved ${name}.`);
}

/** A title as a file name: "PIO or DMA: where?" becomes "pio-or-dma-where". */
export const fileName = (title: string): string =>
  title
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '') || 'busyard';
