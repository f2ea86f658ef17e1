/**
 * What an address sets besides naming a place: `?size=1024` a variable of the scenario, `?pci.clock=33 MHz` a
 * parameter. It is taken as a change like any other, and leaves the address; what is refused is said.
 */
import { closeBanner, showBanner } from '../../base/notices';
import { type Route, setParams } from '../../base/route';
import { sessionModule } from '../../model/session/session-module';

const BANNER = 'address-settings';

/** What the page itself writes there, with what it may be. */
const OWN = new Map([
  ['t', { rule: '"t" is the time of the playhead, in picoseconds.', is: /^\d+$/ }],
  ['step', { rule: '"step" is the number of a step of the lesson, from 1.', is: /^[1-9]\d*$/ }],
  ['term', { rule: '', is: /^/ }],
  ['a', { rule: '', is: /^/ }],
  ['b', { rule: '', is: /^/ }],
  [
    'align',
    { rule: '"align" is "parting" or the number of an event.', is: /^(parting|[1-9]\d*)$/ },
  ],
]);

/** The rule that stands against it; null if it is in force now, or the page's own. */
function take(name: string, value: string): string | null {
  const own = OWN.get(name);
  if (own) return own.is.test(value) ? null : own.rule;
  const { applySetting, scalarOf } = sessionModule();
  return applySetting({ [name]: scalarOf(value) });
}

/** Takes what the address of an opened scenario sets; one refusal does not stop the others. */
export function applyAddressSettings({ params }: Route): void {
  const refused: [place: string, rule: string][] = [];
  const done: Record<string, null> = {};
  for (const [name, value] of Object.entries(params)) {
    const rule = take(name, value);
    if (rule !== null) refused.push([`${name}=${value}`, rule]);
    if (rule !== null || !OWN.has(name)) done[name] = null;
  }
  if (Object.keys(done).length > 0) setParams(done);
  if (refused.length === 0) {
    closeBanner(BANNER);
    return;
  }
  showBanner({
    id: BANNER,
    kind: 'error',
    title: 'Invalid setting in the address',
    place: refused.map(([place]) => place).join(', '),
    detail: `${refused.map(([, rule]) => rule).join(' ')} This value is unchanged; everything else was applied.`,
    passing: true,
  });
}
