/** The palette: its results, reasons of unavailable commands, and letters typed before it is loaded. */
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { navigate, route } from '../base/route';
import { shell, showOverlay } from '../base/shell-state';
import { openScenario } from '../model/session/session-module';
import { eventWords } from '../model/trace/event-words';
import { standInForPage } from '../widgets/page.fixture';
import { startKeyboard } from './keyboard';
import Palette from './Palette';
import './panels';
import { addShellCommands } from './shell-commands';

vi.mock('../engine/workers', async () => (await import('../widgets/page.fixture')).enginesOfPage());

let stop: () => void;
beforeAll(() => {
  standInForPage(900);
  Element.prototype.scrollIntoView ??= () => {};
  addShellCommands();
  stop = startKeyboard();
});
afterAll(() => stop());
afterEach(() => {
  cleanup();
  showOverlay(null);
});

const close = () => showOverlay(null);
const field = () => screen.getByPlaceholderText('Find or do anything') as HTMLInputElement;
const press = (key: string, held = {}) => fireEvent.keyDown(document.body, { key, ...held });
const ask = (words: string) =>
  act(async () => void fireEvent.change(field(), { target: { value: words } }));
const rows = () => screen.queryAllByRole('option');
const row = (name: RegExp) => screen.getByRole('option', { name });

async function show() {
  await act(async () => void render(<Palette onClose={close} />));
}

test('letters typed while the palette loads appear in its field', async () => {
  press('k', { ctrlKey: true });
  expect(shell.getState().overlay).toBe('palette');
  for (const key of ['r', 'e', 'x', 'Backspace', 'b', 'u', 'i', 'l', 'd']) press(key);
  await show();
  expect(field().value).toBe('rebuild');
});

test('Enter typed while the palette loads runs the best result', async () => {
  navigate({ view: 'gallery' });
  press('k', { ctrlKey: true });
  for (const key of 'glossary') press(key);
  press('Enter');
  await show();
  expect(route.getState().view).toBe('glossary');
  expect(shell.getState().overlay).toBeNull();
});

test('letters typed for a palette that was closed before it loaded are dropped', async () => {
  press('k', { ctrlKey: true });
  press('x');
  press('Escape');
  expect(shell.getState().overlay).toBeNull();
  press('k', { ctrlKey: true });
  await show();
  expect(field().value).toBe('');
});

test.each([
  ['undo', /nothing to undo/],
  ['write the lesson', /Write the lesson.*open a machine or a lab first/],
  ['redo', /nothing to redo/],
  ['csv', /CSV/],
  ['svg', /SVG/],
  ['print', /^Print/],
  ['compare', /Two runs in lockstep/],
  ['vcd', /VCD/],
  ['reset', /nothing was changed/],
  ['empty sheet', /^Build a machine/],
])('in the gallery "%s" finds its command', async (words, name) => {
  navigate({ view: 'gallery' });
  await show();
  await ask(words);
  expect(rows().some(({ textContent }) => name.test(textContent ?? ''))).toBe(true);
});

test('an unavailable command says why and does nothing', async () => {
  await show();
  await ask('undo');
  expect(row(/nothing to undo/).getAttribute('aria-disabled')).toBe('true');
});

test.each([
  ['compare', /Two runs in lockstep/],
  ['export', /Save as session file/],
  ['stop when', /Stop when/],
  ['speed', /Faster/],
])('beside a run "%s" finds its command before other matches', async (words, name) => {
  await openScenario('gt/gfixit');
  navigate({ view: 'machine', scenario: 'gt/gfixit' });
  await show();
  await ask(words);
  expect(rows()[0]?.textContent).toMatch(name);
});

test('an address of the page or an id of a scenario goes there', async () => {
  await show();
  await ask('gt/gfixit');
  expect(rows()[0]?.textContent).toContain('Batch the small reads');
  await ask('#/nowhere/at/all');
  expect(screen.queryByText(/^Go to/)).toBeNull();
  await ask('http://127.0.0.1:4173/#/machine/gt/gfixit?t=5');
  await act(async () => void fireEvent.click(row(/^Go to/)));
  expect(location.hash).toBe('#/machine/gt/gfixit?t=5');
});

test('a memory address searches the events of the open run', async () => {
  await openScenario('gt/gfixit');
  navigate({ view: 'machine', scenario: 'gt/gfixit' });
  await show();
  await ask('0x80000000');
  await act(async () => void fireEvent.click(row(/^Find events at/)));
  expect(eventWords.getState().words).toBe('0x80000000-0x80000000');
});
