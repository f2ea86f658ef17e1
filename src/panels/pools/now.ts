/** The map at the playhead, read once per frame for all panels. */
import { useEffect, useMemo } from 'react';
import { useStore } from '../../controllers/useStore';
import { type PoolUse, usesOf } from '../../draw/pools/use';
import type { Frame } from '../../engine/api';
import { type PoolMap, poolMapOf, wantedViews } from '../../model/pools/pool-bitmap';
import { cpuNumberOf, poolViewsOf } from '../../model/pools/pool-views';
import { player } from '../../model/session/open-run';
import { pointed, selection } from '../../model/session/selection';
import { session } from '../../model/session/session';

export interface PoolsNow {
  readonly map: PoolMap;
  readonly uses: readonly PoolUse[];
}

let read: { frame: Frame | null; now: PoolsNow | null } = { frame: null, now: null };

/** The same object while the frame is the same; null if it has no map. */
export function poolsNow(): PoolsNow | null {
  const frame = player.frame();
  if (frame === read.frame) return read.now;
  const { machine } = session.getState();
  const views = poolViewsOf(machine);
  const fits = frame !== null && frame.counters.length === machine?.parts.length;
  const map = views && fits ? poolMapOf(views, frame) : null;
  read = { frame, now: map && { map, uses: usesOf(map) } };
  return read.now;
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
