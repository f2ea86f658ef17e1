/** An address opens the named view if the scenario has it. */
import { expect, test, vi } from 'vitest';
import { navigate, route } from '../../base/route';
import { createStore } from '../../base/store';
import { session } from '../../model/session/session';
import { startAddress } from './address';

const SLOW = { timeout: 20_000 };

await startAddress({
  work: createStore(null),
  resume: async () => 'missing' as const,
  of: () => null,
});

const opened = async (scenario: string) => {
  await vi.waitFor(() => expect(session.getState().scenario).toBe(scenario), SLOW);
  await vi.waitFor(() => expect(location.hash).toContain(route.getState().view), SLOW);
};

test.each([
  ['lab', 'zx1/one-read', 'machine'],
  ['sandbox', 'gt/gfixit', 'machine'],
  ['sandbox', 'gt/crossover', 'lab'],
  ['lab', 'start/poke', 'sandbox'],
] as const)(
  'the view %s, which %s does not have, is replaced by the one it has',
  async (view, id, home) => {
    navigate({ view: 'gallery' });
    const before = history.length;
    navigate({ view, scenario: id, params: { t: '5' } });
    await opened(id);
    await vi.waitFor(() => expect(route.getState().view).toBe(home), SLOW);
    expect(location.hash).toBe(`#/${home}/${id}?t=5`);
    expect(history.length, 'one step back is where one came from').toBe(before + 1);
  },
);

test.each([
  ['build', 'start/bus'],
  ['sandbox', 'start/poke'],
] as const)('the address #/%s begins with %s, as the button does', async (view, id) => {
  navigate({ view: 'gallery' });
  const before = history.length;
  navigate({ view });
  await opened(id);
  expect(location.hash).toBe(`#/${view}/${id}`);
  expect(history.length, 'one step back is where one came from').toBe(before + 1);
});

test.each([
  ['machine', 'gt/crossover'],
  ['machine', 'start/poke'],
  ['build', 'start/poke'],
] as const)('the view %s opens %s, whatever its default view is', async (view, id) => {
  navigate({ view, scenario: id });
  await opened(id);
  expect(route.getState().view).toBe(view);
});
