/**
 * Keeps the address of the page and the route in step, and opens what an address asks for. An address
 * names a place, and what was changed there; its entry in the history of the browser also knows the piece
 * of work, so going back or reloading finds it as it was left.
 */
import {
  closeBanner,
  closeTransientToasts,
  notices,
  showBanner,
  showToast,
} from '../../base/notices';
import { formatFragment, navigate, parseFragment, type Route, route } from '../../base/route';
import type { Readable } from '../../base/store';
import { session as modelSession } from '../../model/session/session';
import type { Resumed, WorkName } from '../autosave/autosave';
import { openScenario, session } from '../open-document';
import { entryWork, rememberEntryWork, workBeforeReload } from '../opening/entry-work';
import { openSharedCode, REFUSED, refuse, retries, showRefusal } from '../opening/open';
import { checkLink, openLink } from '../opening/open-link';
import { addressCode } from './session-code';
import { applyAddressSettings } from './settings';

/** What is kept, as the address needs it. */
interface Kept {
  readonly work: Readable<WorkName | null>;
  /** Opens work again; where it is refused, or not given, it has been said why. */
  resume(work: WorkName): Promise<Resumed['is']>;
  /** The work that this page had on a scenario. */
  of(scenario: string): string | null;
}

let kept: Kept;

export async function startAddress(keeping: Kept): Promise<void> {
  kept = keeping;
  route.subscribe(writeAddress);
  route.subscribe((now, before) => {
    if (isSamePlace(now, before)) return;
    closeTransientToasts();
    void follow(now);
  });
  for (const store of [kept.work, addressCode, session]) store.subscribe(mark);
  window.addEventListener('popstate', () => void readAddress());
  const address = parseFragment(location.hash);
  if (address.kind === 'route' && hasSession(address.route)) {
    const { code } = address;
    const work = workBeforeReload(address.route) ?? namedWork(address);
    if (work && isSettled(await kept.resume(work))) return route.setState(address.route, true);
    if (code) return openSharedCode(code, address.route);
    // The tab may have known it where the history did not: what stands against it is said again.
    if (work) history.replaceState({ work }, '');
  }
  await readAddress();
}

export const hasSession = ({ view }: Route): boolean =>
  !['gallery', 'report', 'prove', 'glossary', 'lessons'].includes(view);

/** Whether the open session is what the place is about. */
const isOf = (at: Route): boolean => {
  const open = session.getState();
  return hasSession(at) && open !== null && open.scenario === at.scenario;
};

const isSamePlace = (one: Route, other: Route): boolean =>
  one.view === other.view && one.scenario === other.scenario;

/**
 * Small changes of the same place (a time, a selection) do not fill the history of the browser. Where the
 * browser went by itself, its entry stays as it is until what it belongs to is open.
 */
function writeAddress(now: Route, before: Route): void {
  const there = parseFragment(location.hash);
  if (there.kind === 'route' && formatFragment(there.route) === formatFragment(now)) return;
  if (isSamePlace(now, before)) history.replaceState(history.state, '', formatFragment(now));
  else history.pushState(null, '', formatFragment(now));
  mark();
}

/** Places whose work is being opened. */
let opening = 0;

/** The work that an address names by itself: a second tab of the browser finds it so. */
const namedWork = ({ work }: { readonly work?: string }): WorkName | null =>
  work ? { id: work, author: '' } : null;

/** A machine of one's own has an address of its own; what is changed in a scenario is found where that is. */
const isOwnMachine = (): boolean => {
  const { built, scenario } = modelSession.getState();
  return built !== undefined || scenario === undefined;
};

/** Writes the changes into the address, and the work into its entry, where both belong to the place. */
function mark(): void {
  const here = route.getState();
  if (opening > 0 || !isOf(here)) return;
  const work = kept.work.getState();
  const name = work && isOwnMachine() ? work.id : null;
  const fragment = formatFragment(here, addressCode.getState(), name);
  if (fragment === location.hash && entryWork()?.id === work?.id) return;
  rememberEntryWork(here, work, fragment);
}

/** Takes back an address that asked for something to be opened, until it is. */
function unwrite(): void {
  const here = route.getState();
  history.replaceState(null, '', formatFragment(here));
  mark();
}

async function readAddress(): Promise<void> {
  closeTransientToasts();
  const address = parseFragment(location.hash);
  switch (address.kind) {
    case 'route': {
      const { code } = address;
      const work = entryWork() ? null : namedWork(address);
      const isOther = work !== null && work.id !== kept.work.getState()?.id;
      if (isOther && isSettled(await kept.resume(work))) return route.setState(address.route, true);
      if (code && !entryWork() && code !== addressCode.getState())
        return offerSession(code, address.route);
      const before = route.getState();
      route.setState(address.route, true);
      return isSamePlace(address.route, before) ? follow(address.route) : undefined;
    }
    case 'share':
      return offerSession(address.code);
    case 'link':
      return offerLink(address.url);
    case 'unknown':
      unwrite();
      showBanner({
        id: 'address',
        kind: 'error',
        title: 'Unknown address',
        place: address.fragment,
        detail: 'There is no view with this name. The page is unchanged.',
        passing: true,
      });
  }
}

/** Opens at once if nothing is lost by it; else asks first, and the work at hand stays meanwhile. */
async function offerSession(code: string, at: Route | null = null): Promise<void> {
  unwrite();
  const open = () => openSharedCode(code, at);
  const loss = replaced();
  if (!loss) return open();
  ask({ title: 'The address contains a shared session', detail: loss, yes: 'Open it', open });
}

const LONGEST_SHOWN = 200;

const short = (address: string): string =>
  address.length > LONGEST_SHOWN ? `${address.slice(0, LONGEST_SHOWN)}…` : address;

/** Nothing is fetched from anywhere before the user has read from where. */
function offerLink(link: string): void {
  unwrite();
  const url = checkLink(link);
  if (typeof url === 'string') {
    refuse('This link cannot be opened', url, short(link));
    return;
  }
  const host = url.host === location.host ? 'this site' : url.host;
  ask({
    title: `The address requests a file from ${host}`,
    place: short(url.href),
    detail: `Nothing has been fetched yet. ${replaced()}`.trim(),
    yes: 'Fetch it',
    open: () => fetchLink(url),
  });
}

/** What comes late does not take the place of what was opened or changed meanwhile without another word. */
function fetchLink(url: URL): Promise<void> {
  const atHand = () => `${session.getState()?.opened} ${replaced()}`;
  const before = atHand();
  return openLink(url, (name, open) =>
    atHand() === before
      ? open()
      : ask({ title: `${name} has come`, detail: replaced(), yes: 'Open it', open }),
  );
}

/** What another session would take the place of; empty if nothing would be lost. */
function replaced(): string {
  const work = session.getState();
  if (!work || work.changes === 0) return '';
  return `It would replace ${work.title}, which stays in Recent work.`;
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

/** Makes the session match the route: opens what it names, leaves views that need one without. */
async function follow(at: Route): Promise<void> {
  if (!hasSession(at)) return;
  opening++;
  await openFor(at).finally(() => {
    opening--;
  });
  if (isOf(at)) applyAddressSettings(at);
  goHome();
  mark();
}

/** A lab or a sandbox has nothing to show of a scenario that is none: that is shown where it is at home. */
function goHome(): void {
  const here = route.getState();
  const view = session.getState()?.kind;
  const isKindOf = here.view === 'lab' || here.view === 'poke';
  if (!view || !isOf(here) || !isKindOf || here.view === view) return;
  const home = { ...here, view };
  history.replaceState(history.state, '', formatFragment(home));
  route.setState(home, true);
}

async function openFor(at: Route): Promise<void> {
  const { scenario } = at;
  const entry = entryWork();
  if (entry?.id && entry.id === kept.work.getState()?.id) return;
  const resumed = entry ? await kept.resume(entry) : 'missing';
  if (isSettled(resumed) || isOf(at) || !isSamePlace(at, route.getState())) return;
  if (!scenario) return leaveEmpty(resumed);
  const own = entry ? null : kept.of(scenario);
  const before = own ? await kept.resume({ id: own, author: '' }) : 'missing';
  if (before === 'open') showToast('Your earlier changes are active; “Reset all” removes them.');
  if (isSettled(before)) return;
  const result = await openScenario(scenario);
  if (result.ok || !isSamePlace(at, route.getState())) return;
  navigate({ view: 'gallery' });
  const again = { address: formatFragment(at), run: () => navigate(at) };
  showRefusal(result, scenario, retries(result, again));
}

/** The work is open, or something else that was opened later. */
const isSettled = (is: Resumed['is']): boolean => is === 'open' || is === 'overtaken';

/** A place without a scenario is that of work from a file: this browser does not have it, or says why it gives it not. */
function leaveEmpty(work: Resumed['is']): void {
  const said = notices.getState().banners.find(({ id }) => id === REFUSED);
  navigate({ view: 'gallery' });
  if (said && work !== 'missing') {
    showBanner(said);
    return;
  }
  showBanner({
    id: 'address',
    kind: 'warning',
    title: 'This address names no scenario',
    detail:
      'It belongs to work stored in the browser that made it. “Share” makes a link that contains it.',
    passing: true,
  });
}
