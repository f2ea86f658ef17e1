/**
 * What the lab view is about: the curves of many runs and where they cross, or one run on its clock with
 * the results of others beside it. The open scenario's experiment says which.
 */
import { route } from '../../base/route';
import { derive, type Readable } from '../../base/store';
import { hasPools } from '../pools/pool-views';
import { hasTasks } from '../realtime/realtime-roles';
import { session } from '../session/session';

const crosses = (): boolean => {
  const { data } = session.getState();
  return data === null || (data.experiment?.crossings.length ?? 0) > 0;
};

/** Panels about curves that cross. */
export const isCrossoverLab: Readable<boolean> = derive([session], crosses);

/** Panels about one run are in every other lab, and always in the views of one machine. */
export const showsOneRun: Readable<boolean> = derive([session, route], () => {
  const { view } = route.getState();
  return view === 'machine' || view === 'build' || (view === 'lab' && !crosses());
});

/** The lanes of all parts; a lab about locks has lanes of its own, and so has a run of threads of a kernel. */
export const showsAllLanes: Readable<boolean> = derive([session, route], () => {
  const { view } = route.getState();
  const ownLanes =
    (view === 'lab' && hasPools.getState()) || (view !== 'build' && hasTasks.getState());
  return showsOneRun.getState() && !ownLanes;
});
