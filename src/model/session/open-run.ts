/**
 * Connects the page's player with the open session. Parameter edits rerun the machine to the same time; live
 * changes, undo and redo become commands of the same run.
 */
import { loop } from '../../base/loop';
import { route, setParams } from '../../base/route';
import { createWorkerEngine } from '../../engine/workers';
import type { CompiledMachine } from '../scenario/compiled';
import { failureText } from '../scenario/engine-errors';
import { createTrace, type Trace } from '../trace/trace';
import { blockedThreads, blockedThreadTexts } from './blocked-threads';
import { engineCommands } from './commands';
import { Player } from './player';
import { clearSelection, markParts, point, selection } from './selection';
import { type SessionState, session, setCursor } from './session';

export type RunPlayer = Player<CompiledMachine, Trace>;

/** The page's player. Its engines start when a run is first shown. */
export const player: RunPlayer = new Player<CompiledMachine, Trace>({
  createEngine: createWorkerEngine,
  createTrace,
  stuck: async (engine, machine) =>
    blockedThreadTexts(machine, await blockedThreads(engine, machine)),
  tell: (error, machine) => failureText(machine, error),
  loop,
});

/** Identifies a run: another session or another run of the experiment starts at the beginning. */
const identity = ({ opened, variables }: SessionState): string =>
  `${opened} ${JSON.stringify(variables)}`;

let shown: SessionState | null = null;

function follow(now: SessionState): void {
  const before = shown;
  shown = now;
  const { machine, commands } = now;
  if (!machine) return void player.open(null);
  if (before && before.machine === machine && before.commands === commands) return;
  const id = identity(now);
  const fresh = !before?.machine || identity(before) !== id;
  if (fresh) resetSelection(now.opened);
  else keepSameEvent();
  // A lesson starts at story pace, so that each step can be seen. Another run of the same session keeps the user's
  // choice.
  if (now.opened !== before?.opened) player.setPace(now.lesson === null ? 'clock' : 'story');
  const at = fresh ? startOf(now) : {};
  void player.open({ id, machine, commands: engineCommands(machine, commands) }, at);
}

/** The session that the selection belongs to. */
let selectionSession = -1;

/**
 * Clears the selection of the previous session. Another run of the same machine keeps the selected part, but not
 * the event.
 */
function resetSelection(opened: number): void {
  point({});
  if (opened === selectionSession) selection.setState({ event: null });
  else clearSelection();
  if (opened !== selectionSession) markParts([]);
  selectionSession = opened;
}

let stopComparing = (): void => {};

/** After a change, the number of the selected event may belong to another event: then it is deselected. */
function keepSameEvent(): void {
  const { event } = selection.getState();
  const before = player.trace();
  const own = event === null ? null : before?.record(event);
  if (event === null || !own || !before) return;
  stopComparing();
  stopComparing = player.state.subscribe(({ complete }) => {
    if (selection.getState().event !== event) return stopComparing();
    const trace = player.trace();
    if (trace === before) return;
    const other = trace?.record(event);
    if (!other && !complete) return;
    stopComparing();
    const fields = ['part', 'kind', 'a', 'b', 'c'] as const;
    const isSame = other && fields.every((name) => other[name] === own[name]);
    if (!isSame && !player.recording()?.cut) selection.setState({ event: null });
  });
}

/** Whether the address belongs to the open session; not during a switch from one scenario to another. */
const isAddressed = ({ scenario }: SessionState): boolean => route.getState().scenario === scenario;

/**
 * Initial position: the event count of a saved session, the time in the address, or the scenario's own
 * moment. The address takes precedence if a session is resumed.
 */
function startOf(now: SessionState): { timePs?: number; events?: number } {
  const { cursor, data, scenario, work } = now;
  const { t } = route.getState().params;
  const isNamed = isAddressed(now) && Number(t) >= 0;
  if (isNamed && work !== null) return { timePs: Number(t) };
  if (cursor > 0) return { events: cursor };
  if (isNamed && scenario !== undefined) return { timePs: Number(t) };
  return { timePs: data?.view.fromPs ?? 0 };
}

/** Views that show the run. */
let users = 0;

/** Stores the position of the resting playhead in the session and the address. */
function remember(): void {
  // The last frame of a view that has been left says nothing about the next address.
  if (users === 0) return;
  const { playing, stepping, status } = player.state.getState();
  if (playing || stepping || status !== 'ready' || !isAddressed(session.getState())) return;
  const { timePs, events } = player.now();
  if (events !== session.getState().cursor) setCursor(events);
  const { view, params } = route.getState();
  const first = session.getState().data?.view.fromPs ?? 0;
  const t = timePs > 0 || first > 0 ? String(Math.round(timePs)) : null;
  if ((view === 'machine' || view === 'lab') && (params.t ?? null) !== t) setParams({ t });
}

let stops: (() => void)[] = [];

/**
 * Runs the player while the run is visible.
 * @returns a function that detaches it
 */
export function attachOpenRun(): () => void {
  users++;
  if (users === 1) {
    follow(session.getState());
    stops = [session.subscribe(follow), player.onFrame(() => loop.once('dom', remember))];
  }
  return () => {
    users--;
    if (users > 0) return;
    player.pause();
    for (const stop of stops) stop();
  };
}
