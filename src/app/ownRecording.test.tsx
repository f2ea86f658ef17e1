/** A recording of the reader's own opens by its contents, is replayed, and says what it found. */
import { readFileSync } from 'node:fs';
import { cleanup, fireEvent, render, screen, within } from '@testing-library/react';
import { Suspense } from 'react';
import { afterEach, expect, test, vi } from 'vitest';
import { notices } from '../base/notices';
import { route } from '../base/route';
import { shell, showOverlay } from '../base/shell-state';
import { sourceOf } from '../model/pools/map-trace';
import { replayRecording } from '../model/report/recording-replay';
import { session } from '../model/session/session';
import type { ReplayRequest } from '../panels/recording/replayer';
import { openFiles } from './opening/open';
import { overlayPanel } from './panels';

const checks = new WebAssembly.Module(Uint8Array.from(readFileSync('build/checks.wasm')));

/** The page's worker, beside it. */
vi.mock('../base/startWorker', () => ({
  startWorker: () => {
    const worker = {
      onmessage: (_: { data: unknown }) => {},
      terminate: () => {},
      async postMessage({ job, file }: ReplayRequest) {
        const bytes = new Uint8Array(await file.arrayBuffer());
        const result = replayRecording(checks, job, () => sourceOf(bytes));
        worker.onmessage({ data: { result } });
      },
    };
    return worker;
  },
}));

const WAIT = { timeout: 25_000, interval: 5 };

afterEach(() => {
  cleanup();
  showOverlay(null);
  notices.setState({ banners: [] });
});

async function open(name: string, contents: Uint8Array<ArrayBuffer> | string): Promise<void> {
  await openFiles([new File([contents], name)]);
  const panel = overlayPanel(shell.getState().overlay);
  if (!panel) return;
  render(
    <Suspense>
      <panel.component />
    </Suspense>,
  );
  await screen.findByRole('heading', { name }, WAIT);
}

const data = (path: string) => Uint8Array.from(readFileSync(`tests/data/${path}`));

const rowOf = (name: string) =>
  within(screen.getByRole('rowheader', { name }).closest('tr') as HTMLElement);

test('references are played through caches side by side, and again with other caches', async () => {
  // Each line is used once, and then once more: a cache that holds them all misses half of the loads.
  const lines = Array.from({ length: 1024 }, (_, line) => `0 ${(line * 32).toString(16)}`);
  await open('mine.din', [...lines, ...lines].join('\n'));
  await screen.findByText(/^2.048.loads, no stores\./, {}, WAIT);
  expect(rowOf('16 KiB').getByText('100.00 %')).toBeTruthy();
  expect(rowOf('32 KiB').getByText('50.00 %')).toBeTruthy();
  fireEvent.change(screen.getByRole('combobox', { name: 'line' }), { target: { value: '64 B' } });
  await vi.waitFor(() => expect(rowOf('32 KiB').getByText('25.00 %')).toBeTruthy(), WAIT);
});

test('an allocator trace is compared, and runs with every policy', async () => {
  await open('spill.jsonl', data('maps/t03_np4_spill.jsonl'));
  await screen.findByText(/compared with the engine’s: no differences/, {}, WAIT);
  expect(screen.getByText(/no breaches, and 50 mappings left at the end\./)).toBeTruthy();
  expect(rowOf('one arena, one lock, next fit').getAllByRole('cell').length).toBeGreaterThan(8);
  fireEvent.click(screen.getByRole('button', { name: 'Follow it step by step' }));
  await vi.waitFor(() => expect(shell.getState().overlay).toBeNull(), WAIT);
  expect(session.getState()).toMatchObject({ status: 'open', title: 'spill.jsonl' });
  expect(route.getState().view).toBe('machine');
});

test('what a driver did wrong stands with its lines', async () => {
  await open('nic.txt', data('field/t1_fault_after_unmap.txt'));
  await screen.findByText(
    /is accessed by the device at line \d+ \(io_page_fault\), and was unmapped at line \d+/,
    {},
    WAIT,
  );
});

test('a line that cannot be read is named, with the reason', async () => {
  await open('bad.din', '0 1000\n1 1004\n0 zz\n0 4\n');
  const { textContent } = await screen.findByRole('alert', {}, WAIT);
  expect(textContent).toMatch(/line 3.*a hexadecimal address of at most 16 digits is expected/);
});

test('signals are shown as lanes, and searched', async () => {
  const signals = '$var wire 1 ! irq $end $var wire 4 # AD $end $enddefinitions $end';
  await open('bus.vcd', `$timescale 1ns $end ${signals} #0 0! b0 # #5 1! b111 # #9 0! #12`);
  await screen.findByText(/^2.signals, 5.changes in 12.ns\./, {}, WAIT);
  fireEvent.change(screen.getByRole('searchbox'), { target: { value: 'irq=1' } });
  expect(screen.getByRole('status').textContent).toMatch(/^1.hit in 1.signal$/);
  fireEvent.click(screen.getByRole('button', { name: 'Next' }));
  expect(screen.getByRole('table', { name: /^Values at 5.ns$/ })).toBeTruthy();
  fireEvent.keyDown(screen.getByRole('searchbox'), { key: 'Enter' });
  fireEvent.change(screen.getByRole('searchbox'), { target: { value: '' } });
  expect(
    rowOf('AD')
      .getAllByRole('cell')
      .map(({ textContent }) => textContent?.replace(/\s/g, ' ')),
  ).toEqual([...['0x7', '5 ns', '–']]);
});
