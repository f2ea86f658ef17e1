import { navigate } from '../../base/route';
import { formatRunName, nameOf, type RunName } from '../../model/report/comparison';
import type { Scenario } from '../../model/scenario/scenario-types';
import { session } from '../../model/session/session';

/** Another run to set beside this one: the next value of the axis that is not from left to right. */
export function another(scenario: Scenario, { at, edited }: RunName): RunName {
  const axes = scenario.experiment?.axes ?? [];
  const other = axes.findLastIndex(
    (axis) => axis !== scenario.experiment?.x && axis.values.length > 1,
  );
  const place = other >= 0 ? other : axes.length - 1;
  if (place < 0) return { at, edited: false };
  const next = ((at[place] ?? 0) + 1) % (axes[place]?.values.length ?? 1);
  return { at: at.map((index, axis) => (axis === place ? next : index)), edited };
}

/** Sets the open run beside another one, or beside itself without the edits. */
export function openComparison(how: 'published' | 'other'): void {
  const { data, machine, scenario } = session.getState();
  if (!data || !machine) return;
  const a = nameOf(data, machine.variables);
  const b = how === 'published' ? { ...a, edited: false } : another(data, a);
  const [first, second] = how === 'published' ? [b, a] : [a, b];
  const params = { a: formatRunName(first), b: formatRunName(second) };
  navigate({ view: 'compare', ...(scenario ? { scenario } : {}), params });
}
