/**
 * The opened run of the page: the player follows the session. Edits of parameters run the machine again
 * to the same time; live changes, undo and redo become other commands of the same run.
 */
import { loop } from '../../base/loop';
import { route, setParams } from '../../base/route';
import { createWorkerEngine } from '../../engine/workers';
import type { CompiledMachine } from '../scenario/compile';
import { failureText } from '../scenario/engine-errors';
import { createTrace, type Trace } from '../trace/trace';
import { blockedThreads, blockedThreadTexts } from './blocked-threads';
import { engineCommands } from './commands';
import { Player } from './player';
import { clearSelection, point, selection } from './selection';
import { type SessionState, session, setCursor } from './session';
import { startAtBeginning } from './start-position';

export type RunPlayer = Player<CompiledMachine, Trace>;

/** The player of the page. Its engines start when a run is first shown. */
export const player: RunPlayer = new Player<CompiledMachine, Trace>({
  createEngine: createWorkerEngine,
  createTrace,
  stuck: async (engine, machine) =>
    blockedThreadTexts(machine, await blockedThreads(engine, machine)),
  tell: (error, machine) => failureText(machine, error),
  loop,
});

/** Another piece of work, or another run of the same experiment, begins anew. */
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
  if (fresh) lookAfresh(now.opened);
  // A lesson is read beside its run: each step is to be seen. Another run of the same work keeps the viewer's choice.
  if (now.opened !== before?.opened) player.setPace(now.lesson === null ? 'clock' : 'story');
  const at = fresh ? startOf(now) : {};
  void player.open({ id, machine, commands: engineCommands(machine, commands) }, at);
}

/** The opening that the selection is about. */
let lookedAt = -1;

/** What was selected belongs to the run before; another run of the same machine has its parts, not its events. */
function lookAfresh(opened: number): void {
  point({});
  if (opened === lookedAt) selection.setState({ event: null });
  else clearSelection();
  lookedAt = opened;
}

/** Whether the address speaks of what is open; on the way from one scenario to another it does not. */
const isAddressed = ({ scenario }: SessionState): boolean => route.getState().scenario === scenario;

/**
 * A saved session names the events that its playhead had seen, the address of a scenario may name a time, a
 * scenario its first moment: where there is much to see, and so too much while a question is open. Where work
 * is taken up again at its address, the address knows best.
 */
function startOf(now: SessionState): { timePs?: number; events?: number } {
  const { cursor, data, scenario, work } = now;
  const { t } = route.getState().params;
  const isNamed = isAddressed(now) && Number(t) >= 0;
  if (isNamed && work !== null) return { timePs: Number(t) };
  if (cursor > 0) return { events: cursor };
  if (isNamed && scenario !== undefined) return { timePs: Number(t) };
  return { timePs: startAtBeginning() ? 0 : (data?.view.fromPs ?? 0) };
}

/** Where the playhead rests goes into the session and the address. */
function remember(): void {
  const { playing, status } = player.state.getState();
  if (playing || status !== 'ready' || !isAddressed(session.getState())) return;
  const { timePs, events } = player.now();
  if (events !== session.getState().cursor) setCursor(events);
  const { view, params } = route.getState();
  const first = session.getState().data?.view.fromPs ?? 0;
  const t = timePs > 0 || first > 0 ? String(Math.round(timePs)) : null;
  if ((view === 'machine' || view === 'lab') && (params.t ?? null) !== t) setParams({ t });
}

let users = 0;
let stops: (() => void)[] = [];

/** Shows the run of the session while it is watched; returns the function that ends this. */
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
