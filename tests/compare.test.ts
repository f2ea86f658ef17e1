/** A changed run is compared with the machine as published: in every scenario the two sides are different runs. */
import { describe, expect, test } from 'vitest';
import { formatFragment, parseFragment, route } from '../src/base/route';
import { commandsOf, machineOf, runNamesIn, titleOf } from '../src/model/report/comparison';
import { type CompiledMachine, paramAt, paramText } from '../src/model/scenario/compiled';
import { listScenarios } from '../src/model/scenario/scenarios';
import { addCommand, openedScenario, setParam } from '../src/model/session/editing';
import { session } from '../src/model/session/session';
import { openScenario } from '../src/model/session/session-module';
import { openComparison } from '../src/panels/compare/open';

/** A change that the open machine accepts: one step from the present value. */
function changeOne(): string | null {
  const { machine } = session.getState();
  for (const { path, value, variable } of machine?.parts.flatMap(({ params }) => params) ?? []) {
    if (variable) continue;
    for (const next of [value + 1n, value - 1n, value * 2n, value / 2n]) {
      const refused = setParam(path, Number(next), { commit: true });
      if (!refused && session.getState().changes === 1) return path;
    }
  }
  return null;
}

/** Both runs of the comparison, from the address that the page makes for it. */
function compared() {
  openComparison('published');
  const address = parseFragment(formatFragment(route.getState()));
  const now = session.getState();
  const published = openedScenario();
  if (address.kind !== 'route' || !now.data || !published) throw new Error('Nothing is compared.');
  const { data } = now;
  const names = runNamesIn(address.route.params, data);
  const changes = { ...now, variables: now.machine?.variables ?? {} };
  return [names.a, names.b].map((name) => ({
    title: titleOf(data, name, true),
    commands: commandsOf(data, name, changes),
    machine: machineOf(name.edited ? data : published, name, changes) as CompiledMachine,
  }));
}

describe('the published machine next to the changed one', () => {
  test.each(listScenarios().map(({ id }) => id))('%s', async (id) => {
    expect(await openScenario(id)).toEqual({ ok: true });
    const path = changeOne() ?? '';
    const open = session.getState().machine as CompiledMachine;
    const valueIn = (machine?: CompiledMachine) => machine && paramAt(machine, path)?.value;
    const [a, b] = compared();
    expect(a?.title).not.toBe(b?.title);
    expect(valueIn(open), path).toBeTypeOf('bigint');
    expect(valueIn(b?.machine), path).toBe(valueIn(open));
    expect(valueIn(a?.machine), path).not.toBe(valueIn(open));
  });

  test.each(listScenarios().map(({ id }) => id))('%s, changed during its run', async (id) => {
    expect(await openScenario(id)).toEqual({ ok: true });
    const parts = session.getState().machine?.parts ?? [];
    const [live] = parts.flatMap((part) =>
      part.params.filter(({ spec }) => spec.change === 'live').map((param) => ({ part, param })),
    );
    if (!live) return;
    const { path, value: now } = live.param;
    const command = [now + 1n, now - 1n, now * 2n, now / 2n]
      .map((next) => ({
        at: 1,
        param: path,
        value: paramText(live.part, { ...live.param, value: next }),
      }))
      .find((one) => {
        const refused = addCommand(one, { commit: true });
        return !refused && session.getState().commands.length === 1;
      });
    expect(command, path).toBeDefined();
    const [a, b] = compared();
    expect(a?.commands).toEqual([]);
    expect(b?.commands).toEqual([command]);
  });
});
