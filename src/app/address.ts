/** Keeps the address of the page and the route in step, and opens what an address asks for. */
import { closeBanner, showBanner } from '../base/notices';
import { formatFragment, navigate, parseFragment, type Route, route } from '../base/route';
import { openSharedCode, refuse, showRefusal } from './open';
import { checkLink, openLink } from './openLink';
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
      return offerSession(address.code);
    case 'link':
      return offerLink(address.url);
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
async function offerSession(code: string): Promise<void> {
  history.replaceState(null, '', shown);
  const open = () => openSharedCode(code);
  const loss = replaced();
  if (!loss) return open();
  ask({ title: 'A shared session came with the address', detail: loss, yes: 'Open it', open });
}

const LONGEST_SHOWN = 200;

const short = (address: string): string =>
  address.length > LONGEST_SHOWN ? `${address.slice(0, LONGEST_SHOWN)}…` : address;

/** Nothing is fetched from anywhere before the user has read from where. */
function offerLink(link: string): void {
  history.replaceState(null, '', shown);
  const url = checkLink(link);
  if (typeof url === 'string') {
    refuse('This link cannot be opened', url, short(link));
    return;
  }
  const host = url.host === location.host ? 'this site' : url.host;
  ask({
    title: `The address asks for a file from ${host}`,
    place: short(url.href),
    detail: `Nothing has been fetched yet. ${replaced()}`.trim(),
    yes: 'Fetch it',
    open: () => openLink(url),
  });
}

/** What another session would take the place of; empty if nothing would be lost. */
function replaced(): string {
  const work = session.getState();
  if (!work || work.changes === 0) return '';
  return `It would take the place of ${work.title}, which stays in Recent work.`;
}

interface Offer {
  readonly title: string;
  readonly place?: string;
  readonly detail: string;
  readonly yes: string;
  open(): Promise<void>;
}

function ask({ yes, open, ...words }: Offer): void {
  const answered = (then?: () => Promise<void>) => () => {
    closeBanner('offer');
    void then?.();
  };
  showBanner({
    id: 'offer',
    kind: 'warning',
    ...words,
    actions: [
      { title: yes, run: answered(open) },
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
