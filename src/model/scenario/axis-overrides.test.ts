/** Edits and the axes of an experiment: where both set something, one of them says what runs. */
import { describe, expect, test } from 'vitest';
import { overriddenAxes, settingsOnAxes, settingsOnAxesIfSame } from './axis-overrides';
import { compile, type Edits } from './compile';
import { variablesAt } from './experiment';
import type { Assignment } from './scenario-types';
import { readScenario } from './scenarios';

async function opened(id: string, at: Assignment = {}, edits: Edits = {}) {
  const scenario = await readScenario(id);
  if (!scenario.ok) throw new Error(scenario.problems[0]?.message);
  const variables = variablesAt(scenario.value, at);
  if (!variables.ok) throw new Error(variables.problems[0]?.message);
  const machine = compile(scenario.value, { variables: variables.value, edits });
  if (!machine.ok) throw new Error(machine.problems[0]?.message);
  return { data: scenario.value, machine: machine.value };
}

describe('a change that the experiment has a run of', () => {
  test.each([
    ['hp/two-streams', {}, { 'services.allocator': 'hpux' }, { allocator: 'hpux' }],
    [
      'hp/stale-outbound',
      { mode: 'none', defect: 'first_sync_omitted' },
      { 'services.fault': 'none' },
      { mode: 'none', defect: 'none' },
    ],
  ])('is a place on its axes: %s', async (id, at, asked, variables) => {
    const { data, machine } = await opened(id, at);
    expect(settingsOnAxesIfSame(data, machine, asked, {})).toEqual({
      variables: expect.objectContaining(variables),
      edits: {},
    });
  });

  test('leaves other edits as they are', async () => {
    const others = { 'adapter.rows': 128 };
    const { data, machine } = await opened('hp/two-streams', {}, others);
    const asked = { ...others, 'services.allocator': 'hpux' };
    expect(settingsOnAxesIfSame(data, machine, asked, {})).toMatchObject({
      variables: { allocator: 'hpux' },
      edits: others,
    });
  });
});

describe('a change that the experiment has no run of', () => {
  test('stays an edit, and its axis is said to be changed by hand', async () => {
    // The axis sets the adapter's mode too, and that is not asked for.
    const asked = { 'services.mode': 'coherent' };
    const { data, machine } = await opened('hp/stale-outbound', { mode: 'none' });
    const found = settingsOnAxesIfSame(data, machine, asked, {});
    expect(found).toEqual({ variables: machine.variables, edits: asked });
    const edited = await opened('hp/stale-outbound', { mode: 'none' }, asked);
    expect(overriddenAxes(data, edited.machine, asked).map(({ name }) => name)).toEqual(['mode']);
    expect(overriddenAxes(data, machine, {})).toEqual([]);
    expect(settingsOnAxes(data, { ...asked, 'cpu0.call_time': '1 us' })).toEqual({
      'cpu0.call_time': '1 us',
    });
  });
});
