import { navigate } from '../../base/route';
import { another, formatRunName, nameOf } from '../../model/report/comparison';
import { session } from '../../model/session/session';

/** Compares the open run with another one, or with itself without the edits. */
export function openComparison(how: 'published' | 'other'): void {
  const { data, machine, scenario } = session.getState();
  if (!data || !machine) return;
  const a = nameOf(data, machine.variables);
  const b = how === 'published' ? { ...a, edited: false } : another(data, a);
  const [first, second] = how === 'published' ? [b, a] : [a, b];
  const params = { a: formatRunName(first), b: formatRunName(second) };
  navigate({ view: 'compare', ...(scenario ? { scenario } : {}), params });
}
