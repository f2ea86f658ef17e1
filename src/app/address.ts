/** Keeps the address of the page and the route in step, and opens what an address asks for. */
import { closeBanner, showBanner } from '../base/notices';
import { formatFragment, navigate, parseFragment, type Route, route } from '../base/route';
import { openLink, openSharedCode, showRefusal } from './open';
import { openScenario, session } from './session';

/** Where the page was before something to be opened came along in the address. */
let shown = '#';

export async function startAddress(restore: (at: Route) => Promise<boolean>): Promise<void> {
  route.subscribe(writeAddress);
  route.subscribe((now, before) => {
    if (now.scenario !== before.scenario || now.view !== before.view) void follow(now);
  });
  window.addEventListener('hashchange', () => void readAddress());
  const address = parseFragment(location.hash);
  if (address.kind === 'route' && (await restore(address.route))) {
    shown = location.hash;
    route.setState(address.route, true);
    return;
  }
  await readAddress();
}

/** Small changes of the same place (a time, a selection) do not fill the history of the browser. */
function writeAddress(now: Route, before: Route): void {
  const fragment = formatFragment(now);
  shown = fragment;
  if (fragment === (location.hash || '#')) return;
  const samePlace = now.view === before.view && now.scenario === before.scenario;
  if (samePlace) history.replaceState(null, '', fragment);
  else history.pushState(null, '', fragment);
}

async function readAddress(): Promise<void> {
  const address = parseFragment(location.hash);
  switch (address.kind) {
    case 'route':
      if (formatFragment(address.route) !== formatFragment(route.getState())) {
        route.setState(address.route, true);
      } else if (address.route.view !== 'gallery') {
        await follow(address.route);
      }
      return;
    case 'share':
      return offer('A shared session came with the address', () => openSharedCode(address.code));
    case 'link':
      return offer(`${address.url} is to be opened`, () => openLink(address.url));
    case 'unknown':
      history.replaceState(null, '', shown);
      showBanner({
        id: 'address',
        kind: 'error',
        title: 'This address leads nowhere',
        place: address.fragment,
        detail: 'No view has this name; the page stays where it was.',
      });
  }
}

/** Opens at once if nothing is lost by it; else asks first, and the work at hand stays meanwhile. */
async function offer(title: string, open: () => Promise<void>): Promise<void> {
  history.replaceState(null, '', shown);
  const work = session.getState();
  if (!work || work.changes === 0) return open();
  const answered = (then?: () => Promise<void>) => () => {
    closeBanner('offer');
    void then?.();
  };
  showBanner({
    id: 'offer',
    kind: 'warning',
    title,
    detail: `It would take the place of ${work.title}, which stays in Recent work.`,
    actions: [
      { title: 'Open it', run: answered(open) },
      { title: 'Stay here', run: answered() },
    ],
    sticky: true,
  });
}

/** Makes the session match the route: opens the scenario it names, leaves views that need one without. */
async function follow({ view, scenario }: Route): Promise<void> {
  if (view === 'gallery' || view === 'report' || view === 'prove') return;
  const open = session.getState();
  if (!scenario) {
    if (!open) navigate({ view: 'gallery' });
    return;
  }
  if (open?.scenario === scenario) return;
  const result = await openScenario(scenario);
  const still = route.getState();
  if (result.ok || still.scenario !== scenario) return;
  showRefusal(result, scenario);
  navigate({ view: 'gallery' });
}
