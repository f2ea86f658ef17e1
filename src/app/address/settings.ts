/**
 * Settings in an address: `?size=1024` sets a variable of the scenario, `?pci.clock=33 MHz` a parameter. They
 * are applied like other changes and removed from the address; refusals are reported.
 */
import { closeBanner, showBanner } from '../../base/notices';
import { type Route, setParams } from '../../base/route';
import { sessionModule } from '../../model/session/session-module';

const BANNER = 'address-settings';

/** Query parameters that the page writes, with their permitted values. */
const OWN = new Map([
  ['t', { rule: '"t" is the time of the playhead, in picoseconds.', is: /^\d+$/ }],
  ['step', { rule: '"step" is the number of a step of the lesson, from 1.', is: /^[1-9]\d*$/ }],
  [
    'sheets',
    {
      rule: '"sheets" lists solutions, card and notes, with commas between.',
      is: /^(solutions|card|notes)(,(solutions|card|notes))*$/,
    },
  ],
  [
    'list',
    {
      rule: '"list" is the name of a playlist, or ids of scenarios with commas between.',
      is: /^[\w-]+$|^[\w-]+\/[\w-]+(,[\w-]+\/[\w-]+)*$/,
    },
  ],
  ['term', { rule: '', is: /^/ }],
  ['a', { rule: '', is: /^/ }],
  ['b', { rule: '', is: /^/ }],
  ['when', { rule: '"when" is "now".', is: /^now$/ }],
  [
    'align',
    { rule: '"align" is "parting" or the number of an event.', is: /^(parting|[1-9]\d*)$/ },
  ],
]);

/** Applies a setting. Returns the reason if it is refused; null if it was applied or belongs to the page. */
function take(name: string, value: string): string | null {
  const own = OWN.get(name);
  if (own) return own.is.test(value) ? null : own.rule;
  const { applySetting, scalarOf } = sessionModule();
  return applySetting({ [name]: scalarOf(value) });
}

/** Applies the settings in the address of an opened scenario; a refusal does not stop the others. */
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
