/**
 * The opened run of the page: the player follows the session. Edits of parameters run the machine again
 * to the same time; live changes, undo and redo become other commands of the same run.
 */
import { loop } from '../base/loop';
import { route, setParams } from '../base/route';
import { createWorkerEngine } from '../engine/page';
import type { CompiledMachine } from './compile';
import { Player } from './player';
import { engineCommands, type SessionState, session, setCursor } from './session';
import { createTrace, type Trace } from './trace';

export type RunPlayer = Player<CompiledMachine, Trace>;

/** The player of the page. Its engines start when a run is first shown. */
export const player: RunPlayer = new Player<CompiledMachine, Trace>({
  createEngine: createWorkerEngine,
  createTrace,
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
  const at = fresh ? startOf(now) : {};
  void player.open({ id, machine, commands: engineCommands(machine, commands) }, at);
}

/** The address may name a time, a saved session the events that its needle had seen, a scenario its first moment. */
function startOf({ cursor, data }: SessionState): { timePs?: number; events?: number } {
  const { t } = route.getState().params;
  if (t !== undefined && Number(t) >= 0) return { timePs: Number(t) };
  return cursor > 0 ? { events: cursor } : { timePs: data?.view.fromPs ?? 0 };
}

/** Where the needle rests goes into the session and the address. */
function remember(): void {
  const { playing, status } = player.state.getState();
  if (playing || status !== 'ready') return;
  const { timePs, events } = player.now();
  if (events !== session.getState().cursor) setCursor(events);
  const { view, params } = route.getState();
  const first = session.getState().data?.view.fromPs ?? 0;
  const t = timePs > 0 || first > 0 ? String(Math.round(timePs)) : null;
  if ((view === 'machine' || view === 'lab') && (params.t ?? null) !== t) setParams({ t });
}

let users = 0;
let stops: (() => void)[] = [];

/** Shows the run of the session as long as somebody looks; returns the function that ends the look. */
export function showRun(): () => void {
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
