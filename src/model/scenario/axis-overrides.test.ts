/** Edits and the axes of an experiment that set the same parameter. */
import { describe, expect, test } from 'vitest';
import { overriddenAxes, settingsOnAxes, settingsOnAxesIfSame } from './axis-overrides';
import { compile } from './compile';
import { variablesAt } from './experiment';
import type { Assignment, Edits } from './scenario-types';
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

describe('a change that matches a run of the experiment', () => {
  test.each([
    ['hp/two-streams', {}, { 'services.allocator': 'hpux' }, { allocator: 'hpux' }],
    [
      'hp/stale-outbound',
      { mode: 'none', defect: 'first_sync_omitted' },
      { 'services.fault': 'none' },
      { mode: 'none', defect: 'none' },
    ],
  ])('becomes a point on its axes: %s', async (id, at, requested, variables) => {
    const { data, machine } = await opened(id, at);
    expect(settingsOnAxesIfSame(data, machine, requested, {})).toEqual({
      variables: expect.objectContaining(variables),
      edits: {},
    });
  });

  test('keeps other edits', async () => {
    const others = { 'adapter.rows': 128 };
    const { data, machine } = await opened('hp/two-streams', {}, others);
    const requested = { ...others, 'services.allocator': 'hpux' };
    expect(settingsOnAxesIfSame(data, machine, requested, {})).toMatchObject({
      variables: { allocator: 'hpux' },
      edits: others,
    });
  });
});

describe('a change that matches no run of the experiment', () => {
  test('stays an edit, and its axis is marked as changed by hand', async () => {
    // The axis sets the adapter's mode as well, which this change does not.
    const requested = { 'services.mode': 'coherent' };
    const { data, machine } = await opened('hp/stale-outbound', { mode: 'none' });
    const found = settingsOnAxesIfSame(data, machine, requested, {});
    expect(found).toEqual({ variables: machine.variables, edits: requested });
    const edited = await opened('hp/stale-outbound', { mode: 'none' }, requested);
    expect(overriddenAxes(data, edited.machine, requested).map(({ name }) => name)).toEqual([
      'mode',
    ]);
    expect(overriddenAxes(data, machine, {})).toEqual([]);
    expect(settingsOnAxes(data, { ...requested, 'cpu0.call_time': '1 us' })).toEqual({
      'cpu0.call_time': '1 us',
    });
  });
});
