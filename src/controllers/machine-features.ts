/**
 * Features of the open machine and its experiment, which decide whether panels are shown. Each is a value
 * derived from the session; the functions that read a machine are in src/model and take it as an argument.
 */
import { route } from '../base/route';
import { derive, type Readable } from '../base/store';
import { hintedPartOf } from '../model/coherence/read-hints';
import { type DriverRoles, driverRoles } from '../model/drivers/driver-roles';
import { poolViewsOf } from '../model/pools/pool-views';
import {
  deadlineParam,
  designAxis,
  type RealTimeRoles,
  realTimeRoles,
  runsOperation,
} from '../model/realtime/realtime-roles';
import type { CompiledMachine, CompiledPart } from '../model/scenario/compiled';
import type { Experiment, Scenario } from '../model/scenario/scenario-types';
import { session } from '../model/session/session';

const fromMachine = <T>(read: (machine: CompiledMachine) => T | null): Readable<T | null> =>
  derive([session], () => {
    const { machine } = session.getState();
    return machine && read(machine);
  });

/** The first part of the machine that has hints. */
export const hintedPart: Readable<CompiledPart | null> = fromMachine(hintedPartOf);

export const hasHints: Readable<boolean> = derive(
  [hintedPart],
  () => hintedPart.getState() !== null,
);

/** The parts that call mapping services. */
export const drivers: Readable<DriverRoles | null> = fromMachine(driverRoles);

const poolViews = () => poolViewsOf(session.getState().machine);

export const hasPools: Readable<boolean> = derive([session], () => poolViews() !== null);

/** Most entries of a small map; larger maps take several rows per pool. */
const SMALL = 256;

/** Whether the map has one or two pools and few entries. */
export const fitsBitmap: Readable<boolean> = derive([session], () => {
  const map = poolViews();
  const params = session.getState().machine?.parts[map?.part ?? -1]?.params;
  const pools = Number(params?.find(({ spec }) => spec.name === 'pools')?.value ?? 0n);
  return map !== null && map.entries <= SMALL && (pools === 1 || pools === 2);
});

/** With a bus beside such a map, the machine's drawing comes first. */
const hasBus = (): boolean =>
  session.getState().machine?.parts.some(({ type }) => type.actor === 'bus') ?? false;

export const hasPoolsAlone = derive([session], () => hasPools.getState() && !hasBus());
export const hasPoolsBesideBus = derive([session], () => hasPools.getState() && hasBus());

/** The roles of a real-time run; null where there is no such kernel. */
export const realTime: Readable<RealTimeRoles | null> = derive([session], () => {
  const { machine, data } = session.getState();
  return machine && data ? realTimeRoles(machine, data) : null;
});

export const hasTasks: Readable<boolean> = derive([realTime], () => realTime.getState() !== null);

export const hasPackets: Readable<boolean> = derive(
  [realTime],
  () => typeof realTime.getState()?.stack === 'number',
);

/** The parameter with the deadline of a packet. */
export function packetDeadlineParam() {
  const [{ machine }, roles] = [session.getState(), realTime.getState()];
  return machine && roles && deadlineParam(machine, roles);
}

/** The deadline of a packet in picoseconds; null if there is none. */
export function packetDeadline(): number | null {
  const value = Number(packetDeadlineParam()?.param.value ?? 0);
  return value > 0 ? value : null;
}

function runs(operation: string): boolean {
  const { data, machine } = session.getState();
  return data !== null && machine !== null && runsOperation(machine, data, operation);
}

/** There are periodic tasks, or packets with a deadline. */
export const hasDeadlines: Readable<boolean> = derive(
  [session],
  () => hasTasks.getState() && (runs('release') || packetDeadline() !== null),
);

/** Buffers, messages or locks have owners. */
export const hasOwners: Readable<boolean> = derive(
  [session],
  () => hasPackets.getState() || (hasTasks.getState() && runs('lock')),
);

/** There are response times: of packets, or of periodic tasks. */
export const hasResponses: Readable<boolean> = derive(
  [session],
  () => hasPackets.getState() || hasDeadlines.getState(),
);

/** The experiment's runs are shown as curves over a number. */
export const hasCurves: Readable<boolean> = derive(
  [session],
  () => (session.getState().data?.experiment?.curves.length ?? 0) > 0,
);

const fromExperiment = (
  feature: Readable<boolean>,
  holds: (experiment: Experiment) => boolean,
): Readable<boolean> =>
  derive([session], () => {
    const { experiment } = session.getState().data ?? {};
    return feature.getState() && experiment != null && holds(experiment);
  });

/** The experiment varies the number of clients that wait for their replies. */
export const variesClients = fromExperiment(hasTasks, ({ x }) => x.name === 'clients');

/** The experiment varies the work per byte, the axis of the gain curves. */
export const variesWork = fromExperiment(hasPackets, ({ x }) => x.name === 'byte');

/** The experiment compares more than two designs. */
export const comparesDesigns = fromExperiment(hasPackets, ({ axes }) => designAxis(axes) !== null);

/** More designs than are seen whole in half of the row below the machine. */
export const hasManyDesigns = fromExperiment(
  comparesDesigns,
  ({ axes }) => (designAxis(axes)?.values.length ?? 0) > 3,
);

/** Many designs are what the scenario is about: no deadline decides between them. */
export const isAboutDesigns: Readable<boolean> = derive(
  [hasManyDesigns, hasDeadlines],
  () => hasManyDesigns.getState() && !hasDeadlines.getState(),
);

/** The experiment compares applications. */
export const comparesApplications = fromExperiment(hasPackets, ({ axes }) =>
  axes.some(({ name }) => name === 'application'),
);

const comparesRatios = (holds: (ratios: Scenario['expect']) => boolean): Readable<boolean> =>
  derive([session], () => {
    const { expect = [] } = session.getState().data ?? {};
    return (
      hasPackets.getState() && holds(expect.filter(({ quantity }) => quantity.kind === 'ratio'))
    );
  });

/** The scenario compares runs that differ in one design. */
export const comparesRuns = comparesRatios((ratios) => ratios.length > 0);

/** Some constants were calibrated from the gain of one run over another. */
export const calibratesGains = comparesRatios((ratios) =>
  ratios.some(({ role }) => role === 'calibrated'),
);

const crosses = (): boolean => {
  const { data } = session.getState();
  return data === null || (data.experiment?.crossings.length ?? 0) > 0;
};

/** The lab shows curves of many runs that cross, not one run in time. */
export const isCrossoverLab: Readable<boolean> = derive([session], crosses);

/** Shown in every other lab, and always in the views of one machine. */
export const showsOneRun: Readable<boolean> = derive([session, route], () => {
  const { view } = route.getState();
  return view === 'machine' || view === 'build' || (view === 'lab' && !crosses());
});

/** Lanes of all parts. Labs on locks and runs of kernel threads have lanes of their own. */
export const showsAllLanes: Readable<boolean> = derive([session, route], () => {
  const { view } = route.getState();
  const ownLanes =
    (view === 'lab' && hasPools.getState()) || (view !== 'build' && hasTasks.getState());
  return showsOneRun.getState() && !ownLanes;
});
