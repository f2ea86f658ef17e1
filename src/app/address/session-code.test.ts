import { beforeAll, expect, test, vi } from 'vitest';
import { notices } from '../../base/notices';
import { formatFragment, route } from '../../base/route';
import { saveText, setParam } from '../../model/session/editing';
import { openScenario, openText } from '../opening/open-document';
import { addressCode, startAddressCode } from './session-code';

/** A busy machine takes longer. */
const SLOW = { timeout: 20_000 };

const bannerTitles = () => notices.getState().banners.map(({ title }) => title);
const TOO_LONG = 'The address no longer contains your changes';

/** A user scenario whose text hardly compresses. */
const large = (letters: number) => {
  let state = 1;
  const noise = Array.from({ length: letters }, () => {
    state = (state * 48271) % 2147483647;
    return (state % 36).toString(36);
  });
  return JSON.stringify({
    busyard: 1,
    title: 'Large',
    summary: 'Long.',
    system: 'gt',
    until: '1 us',
    view: { kind: 'machine' },
    machine: { extends: 'gt-system-a' },
    workload: { cpu: [{ do: 'spend', time: '1 ns' }] },
    lesson: `# Noise\n\n${noise.join('')}`,
  });
};

const address = { hash: '' };

beforeAll(() => {
  vi.stubGlobal('location', address);
  startAddressCode();
});

test('an address contains the changes, and a notice appears once when they are too long for it', async () => {
  await openScenario('gt/one-word');
  setParam('driver.setup_time', '3 us', { commit: true });
  await vi.waitFor(() => expect(addressCode.getState()).not.toBeNull(), SLOW);
  expect(bannerTitles()).toEqual([]);
  const opened = await openText(large(20_000), 'large.json');
  if (!opened.ok) throw new Error(opened.problems[0]?.sentence);
  await vi.waitFor(() => expect(bannerTitles()).toEqual([TOO_LONG]), SLOW);
  expect(addressCode.getState()).toBeNull();
  notices.setState({ banners: [] });
  setParam('driver.setup_time', '3 us', { commit: true });
  await new Promise((over) => setTimeout(over, 600));
  expect(bannerTitles()).toEqual([]);
  await openScenario('gt/gfixit');
  setParam('driver.setup_time', '3 us', { commit: true });
  await vi.waitFor(() => expect(addressCode.getState()).not.toBeNull(), SLOW);
  expect(bannerTitles()).toEqual([]);
});

test('an address keeps its changes while a reloaded session is being encoded', async () => {
  await openScenario('gt/one-word');
  setParam('driver.setup_time', '3 us', { commit: true });
  await vi.waitFor(() => expect(addressCode.getState()).not.toBeNull(), SLOW);
  const code = addressCode.getState();
  address.hash = formatFragment(route.getState(), code);
  const kept = saveText();
  await openScenario('gt/gfixit');
  expect(addressCode.getState()).toBeNull();
  await openText(kept, 'one-word.json');
  expect(addressCode.getState()).toBe(code);
});
