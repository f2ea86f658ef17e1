/**
 * Messages between a page in a frame and the page around it, version 1. The page around asks, with an `id` if it wants to
 * match the answer:
 *
 *     { busyard: 1, id: 7, do: 'seek', timePs: 1063200 }
 *     { busyard: 1, id: 7, ok: true, state: { timePs: 1063200, ... } }
 *
 * and hears `{ busyard: 1, event: 'moment', state }` when something changed. Only origins that the address allows are
 * answered, and nothing is told that an open question may hide.
 */
import { hint, quote } from '../base/suggest';
import { partNamed } from '../model/scenario/compiled';
import { player } from '../model/session/open-run';
import { select, selection } from '../model/session/selection';
import { navigateInSession, session } from '../model/session/session';
import { openScenario } from '../model/session/session-module';

const VERSION = 1;

/** Shortest time between two events: the text of a page around changes no faster. */
const PAUSE_MS = 100;

/** What the page around is told. */
interface EmbedState {
  readonly scenario: string | null;
  readonly title: string;
  readonly timePs: number;
  readonly events: number;
  readonly endPs: number;
  readonly playing: boolean;
  /** Name of the selected part. */
  readonly part: string | null;
}

function stateNow(): EmbedState {
  const { scenario = null, title, machine } = session.getState();
  const { timePs, events } = player.now();
  const { endPs, playing } = player.state.getState();
  const part = machine?.parts[selection.getState().part ?? -1]?.name ?? null;
  return { scenario, title, timePs, events, endPs, playing, part };
}

type Request = Readonly<Record<string, unknown>>;

/** What is wrong with a request, as a sentence; null if it was done. */
type Does = (request: Request) => Promise<string | null>;

const done = async (work?: unknown): Promise<null> => {
  await work;
  return null;
};

async function open({ scenario }: Request): Promise<string | null> {
  if (typeof scenario !== 'string') return '"open" needs "scenario", the id of a scenario.';
  const opened = await openScenario(scenario);
  if (!opened.ok) return opened.problems[0]?.message ?? opened.title;
  navigateInSession(session.getState().kind);
  return null;
}

async function seek({ timePs }: Request): Promise<string | null> {
  if (typeof timePs !== 'number' || !Number.isFinite(timePs))
    return '"seek" needs "timePs", picoseconds of the run.';
  player.pause();
  return done(player.toTime(timePs));
}

async function step({ by = 1 }: Request): Promise<string | null> {
  if (by !== 1 && by !== -1) return '"by" is 1 or -1.';
  return done(player.step(by));
}

async function selectPart({ part }: Request): Promise<string | null> {
  if (part === null) return done(select({}));
  if (typeof part !== 'string') return '"select" needs "part", a name or null.';
  const { machine } = session.getState();
  const found = machine ? partNamed(machine, part) : undefined;
  if (found) return done(select({ part: found.index }));
  const names = machine?.parts.map(({ name }) => name) ?? [];
  return `There is no part ${quote(part)}${hint(part, names)}`;
}

const COMMANDS: Readonly<Record<string, Does>> = {
  open,
  seek,
  step,
  select: selectPart,
  play: () => done(player.play()),
  pause: () => done(player.pause()),
  state: () => done(),
};

async function answerTo(request: Request): Promise<object> {
  const refuse = (error: string) => ({ ok: false, error });
  if (request.busyard !== VERSION)
    return refuse(`This page understands version ${VERSION} of its messages.`);
  const name = String(request.do);
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!command) return refuse(`There is no ${quote(name)}${hint(name, Object.keys(COMMANDS))}`);
  const problem = await command(request).catch((error: unknown) =>
    error instanceof Error ? error.message : String(error),
  );
  return problem === null ? { ok: true, state: stateNow() } : refuse(problem);
}

/** Origins that the address allows, beside the page's own: `?host=https://course.example.org`. */
export const hostsIn = (search: string): readonly string[] =>
  new URLSearchParams(search).getAll('host').flatMap((host) => {
    try {
      return new URL(host).origin;
    } catch {
      return [];
    }
  });

const isRequest = (data: unknown): data is Request =>
  typeof data === 'object' && data !== null && 'busyard' in data && 'do' in data;

/** Answers the page around, and tells it of changes from its first message on, until the returned function is called. */
export function startMessages(
  page: Pick<Window, 'addEventListener' | 'removeEventListener' | 'parent'>,
  origins: readonly string[],
): () => void {
  const { parent } = page;
  let listener: string | null = null;
  let lastSent = '';
  let timer: ReturnType<typeof setTimeout> | undefined;
  const say = (message: object, origin: string) =>
    parent.postMessage({ busyard: VERSION, ...message }, origin);
  const tell = () => {
    timer = undefined;
    const state = stateNow();
    const text = JSON.stringify(state);
    if (listener === null || text === lastSent) return;
    lastSent = text;
    say({ event: 'moment', state }, listener);
  };
  const changed = () => {
    if (listener !== null) timer ??= setTimeout(tell, PAUSE_MS);
  };
  /** The last request: the next waits for it, so that a seek after "open" is for the opened scenario. */
  let before: Promise<void> = Promise.resolve();
  const answer = async (request: Request, origin: string) => {
    const { id } = request;
    const result = await answerTo(request);
    say({ ...(id === undefined ? {} : { id }), ...result }, origin);
  };
  const onMessage = ({ data, origin, source }: MessageEvent) => {
    if (source !== parent || !origins.includes(origin) || !isRequest(data)) return;
    listener = origin;
    before = before.then(() => answer(data, origin));
  };
  page.addEventListener('message', onMessage);
  const stops = [
    player.onFrame(changed),
    ...[player.state, session, selection].map((store) => store.subscribe(changed)),
  ];
  // Anyone may know that a page in a frame is ready: it says nothing else.
  say({ event: 'ready' }, '*');
  return () => {
    page.removeEventListener('message', onMessage);
    clearTimeout(timer);
    for (const stop of stops) stop();
  };
}
