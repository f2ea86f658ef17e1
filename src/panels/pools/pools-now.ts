/** The map at the playhead, read once per frame for all panels. */
import { useEffect, useMemo } from 'react';
import { logNow } from '../../controllers/useRun';
import { useStore } from '../../controllers/useStore';
import { type PoolUse, usesOf } from '../../draw/pools/usage';
import type { Frame } from '../../engine/api';
import type { ParamName } from '../../engine/gen/names';
import { answerMask } from '../../model/lesson/answer-mask';
import { type PoolMap, poolMapOf, wantedViews } from '../../model/pools/pool-bitmap';
import { PoolTrail, type TrailNow } from '../../model/pools/pool-trail';
import { cpuNumberOf, poolViewsOf } from '../../model/pools/pool-views';
import type { CompiledMachine } from '../../model/scenario/compiled';
import { player } from '../../model/session/open-run';
import { pointed, selection } from '../../model/session/selection';
import { session } from '../../model/session/session';
import type { Trace } from '../../model/trace/trace';
import { TraceMemo } from '../../model/trace/trace-indexer';

export interface PoolsNow {
  readonly map: PoolMap;
  readonly uses: readonly PoolUse[];
}

/** Whether the open question asks how many entries are in use: then nothing tells which are never allocated. */
export function hidesLost(): boolean {
  const map = poolViewsOf(session.getState().machine)?.part;
  return map !== undefined && (answerMask.getState()?.masks(map, 'used') ?? false);
}

/** A map in which every entry looks as if it could be allocated. */
const withoutLost = (map: PoolMap): PoolMap => ({
  ...map,
  pools: map.pools.map((pool) => ({ ...pool, usable: pool.end })),
});

let read: { frame: Frame | null; isHidden: boolean; now: PoolsNow | null } = {
  frame: null,
  isHidden: false,
  now: null,
};

/** The same object while the frame and the question are the same; null if the frame has no map. */
export function poolsNow(): PoolsNow | null {
  const frame = player.frame();
  const isHidden = hidesLost();
  if (frame === read.frame && isHidden === read.isHidden) return read.now;
  const { machine } = session.getState();
  const views = poolViewsOf(machine);
  const fits = frame !== null && frame.counters.length === machine?.parts.length;
  const whole = views && fits ? poolMapOf(views, frame) : null;
  const map = whole && isHidden ? withoutLost(whole) : whole;
  read = { frame, isHidden, now: map && { map, uses: usesOf(map) } };
  return read.now;
}

const trails = new TraceMemo<CompiledMachine, PoolTrail>();

function trailOf(machine: CompiledMachine, trace: Trace): PoolTrail | null {
  const views = poolViewsOf(machine);
  if (!views) return null;
  const params = machine.parts[views.part]?.params ?? [];
  const value = (name: ParamName) =>
    Number(params.find(({ spec }) => spec.name === name)?.value ?? Number.NaN);
  const geometry = { entries: views.entries, base: value('base'), page: value('page') };
  if (Number.isNaN(geometry.base + geometry.page)) return null;
  return trails.of(trace, machine, () => new PoolTrail(trace, views.part, geometry));
}

/** What the run has handed out up to the playhead; null without a record. */
export function trailNow(): TrailNow | null {
  const { machine } = session.getState();
  const trail = machine && logNow((trace) => trailOf(machine, trace));
  return trail ? trail.at(player.now().timePs) : null;
}

/** Requests the views of the map with each frame while the panel is mounted. */
export function usePoolViews(): void {
  const machine = useStore(session, (state) => state.machine);
  const views = useMemo(() => poolViewsOf(machine), [machine]);
  useEffect(() => (views ? player.want(wantedViews(views)) : undefined), [views]);
}

/** Number of the hovered or selected processor. */
export function chosenCpu(): number | null {
  const { machine } = session.getState();
  const part = pointed.getState().part ?? selection.getState().part;
  return machine && part !== null ? cpuNumberOf(machine, part) : null;
}

/** Name of a pool in sentences and tables. */
export const poolName = ({ large, number }: PoolMap['pools'][0]): string =>
  large ? 'the large pool' : `pool ${number}`;
