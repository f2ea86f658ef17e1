/**
 * Keeps the page's address and the route in step, and opens what an address names. An address names a place
 * and the changes made there. Its history entry also stores the work, so that going back or reloading
 * restores it.
 */
import {
  closeBanner,
  closeTransientToasts,
  notices,
  showBanner,
  showToast,
} from '../../base/notices';
import {
  BUILDER,
  formatFragment,
  navigate,
  parseFragment,
  type Route,
  route,
  SANDBOX,
} from '../../base/route';
import type { Readable } from '../../base/store';
import { session as modelSession } from '../../model/session/session';
import type { Resumed, WorkName } from '../autosave/autosave';
import { openSharedCode, REFUSED, refuse, retries, showRefusal } from '../opening/open';
import { openScenario, session } from '../opening/open-document';
import { checkLink, openLink } from '../opening/open-link';
import { entryWork, rememberEntryWork, workBeforeReload } from './entry-work';
import { addressCode } from './session-code';
import { applyAddressSettings } from './settings';

/** The autosave's interface for this module. */
interface SavedWork {
  readonly work: Readable<WorkName | null>;
  /** Reopens work. Failures are reported before it returns. */
  resume(work: WorkName): Promise<Resumed['is']>;
  /** Id of the work that this page had on a scenario. */
  of(scenario: string): string | null;
}

let savedWork: SavedWork;

export async function startAddress(keeping: SavedWork): Promise<void> {
  savedWork = keeping;
  route.subscribe(writeAddress);
  route.subscribe((now, before) => {
    if (isSamePlace(now, before)) return;
    closeTransientToasts();
    void follow(now);
  });
  for (const store of [savedWork.work, addressCode, session]) store.subscribe(mark);
  window.addEventListener('popstate', () => void readAddress());
  const address = parseFragment(location.hash);
  if (address.kind === 'route' && hasSession(address.route)) {
    const { code } = address;
    const work = workBeforeReload(address.route) ?? namedWork(address);
    if (work && isSettled(await savedWork.resume(work))) return route.setState(address.route, true);
    if (code) return openSharedCode(code, address.route);
    // Without a history entry the id came from the tab's storage. Store it, so that opening it reports the
    // reason again.
    if (work) history.replaceState({ work }, '');
  }
  await readAddress();
}

export const hasSession = ({ view }: Route): boolean =>
  !['gallery', 'report', 'prove', 'glossary', 'lessons'].includes(view);

/** Whether the open session belongs to the place. */
const isOf = (at: Route): boolean => {
  const open = session.getState();
  return hasSession(at) && open !== null && open.scenario === at.scenario;
};

const isSamePlace = (one: Route, other: Route): boolean =>
  one.view === other.view && one.scenario === other.scenario;

/**
 * Changes within a place (time, selection) do not add history entries. After a browser navigation the entry
 * is unchanged until its work is open.
 */
function writeAddress(now: Route, before: Route): void {
  const there = parseFragment(location.hash);
  if (there.kind === 'route' && formatFragment(there.route) === formatFragment(now)) return;
  if (isSamePlace(now, before)) history.replaceState(history.state, '', formatFragment(now));
  else history.pushState(null, '', formatFragment(now));
  mark();
}

/** Number of places that are being opened. */
let opening = 0;

/** The work that an address names, for example in a second tab. */
const namedWork = ({ work }: { readonly work?: string }): WorkName | null =>
  work ? { id: work, author: '' } : null;

/**
 * A built machine or a file has an address of its own; changes to a scenario belong to the scenario's
 * address.
 */
const isOwnMachine = (): boolean => {
  const { built, scenario } = modelSession.getState();
  return built !== undefined || scenario === undefined;
};

/** Writes the changes to the address and the work to its history entry, if both belong to the place. */
function mark(): void {
  const here = route.getState();
  if (opening > 0 || !isOf(here)) return;
  const work = savedWork.work.getState();
  const name = work && isOwnMachine() ? work.id : null;
  const fragment = formatFragment(here, addressCode.getState(), name);
  if (fragment === location.hash && entryWork()?.id === work?.id) return;
  rememberEntryWork(here, work, fragment);
}

/** Replaces an address that asks to open something, until it is opened. */
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
      const isOther = work !== null && work.id !== savedWork.work.getState()?.id;
      if (isOther && isSettled(await savedWork.resume(work)))
        return route.setState(address.route, true);
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

/** Opens at once if nothing would be replaced; otherwise asks first. */
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

/** Fetches nothing before the user has confirmed the host. */
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

/** Asks again if the open session changed during the fetch. */
function fetchLink(url: URL): Promise<void> {
  const atHand = () => `${session.getState()?.opened} ${replaced()}`;
  const before = atHand();
  return openLink(url, (name, open) =>
    atHand() === before
      ? open()
      : ask({ title: `${name} has arrived`, detail: replaced(), yes: 'Open it', open }),
  );
}

/** A sentence on the work that another session would replace; empty if there is none. */
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

/** Makes the session match the route: opens what the route names. */
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

/** Moves to the scenario's default view if the route's view is a lab or sandbox and the scenario is none. */
function goHome(): void {
  const here = route.getState();
  const view = session.getState()?.kind;
  const isKindOf = here.view === 'lab' || here.view === 'sandbox';
  if (!view || !isOf(here) || !isKindOf || here.view === view) return;
  moveTo({ ...here, view });
}

/** Goes to a place without a history entry of its own: the way back leads past the address that was left. */
function moveTo(place: Route): void {
  history.replaceState(history.state, '', formatFragment(place));
  route.setState(place, true);
}

async function openFor(at: Route): Promise<void> {
  const { scenario } = at;
  const entry = entryWork();
  if (entry?.id && entry.id === savedWork.work.getState()?.id) return;
  const resumed = entry ? await savedWork.resume(entry) : 'missing';
  if (isSettled(resumed) || isOf(at) || !isSamePlace(at, route.getState())) return;
  if (!scenario) return entry ? leaveEmpty(resumed) : begin(at);
  const own = entry ? null : savedWork.of(scenario);
  const before = own ? await savedWork.resume({ id: own, author: '' }) : 'missing';
  if (before === 'open') showToast('Your earlier changes are active; “Reset all” removes them.');
  if (isSettled(before)) return;
  const result = await openScenario(scenario);
  if (result.ok || !isSamePlace(at, route.getState())) return;
  navigate({ view: 'gallery' });
  const again = { address: formatFragment(at), run: () => navigate(at) };
  showRefusal(result, scenario, retries(result, again));
}

/** The work, or something opened after it, is open. */
const isSettled = (is: Resumed['is']): boolean => is === 'open' || is === 'overtaken';

/** `#/build` and `#/sandbox` begin where their buttons do. */
function begin({ view }: Route): void {
  const start = [BUILDER, SANDBOX].find((one) => one.view === view);
  if (start) moveTo(start);
  else leaveEmpty('missing');
}

/**
 * An address without a scenario belongs to stored work from a file. Without that work it returns to the
 * gallery and keeps the reason.
 */
function leaveEmpty(work: Resumed['is']): void {
  const refusal = notices.getState().banners.find(({ id }) => id === REFUSED);
  navigate({ view: 'gallery' });
  if (refusal && work !== 'missing') {
    showBanner(refusal);
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
