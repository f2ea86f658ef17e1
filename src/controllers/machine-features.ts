/**
 * What the open machine and its experiment have, as panels ask before they show themselves. Each is a value derived from
 * the session; how a machine is read stands in the rooms of the model, which get the machine as an argument.
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
import type { CompiledMachine, CompiledPart } from '../model/scenario/compile';
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

/** Those who call mapping services. */
export const drivers: Readable<DriverRoles | null> = fromMachine(driverRoles);

const poolViews = () => poolViewsOf(session.getState().machine);

export const hasPools: Readable<boolean> = derive([session], () => poolViews() !== null);

/** Entries of a small map; those of a large one take several rows a pool. */
const SMALL = 256;

/** Whether the map is of one pool or two, and of few entries. */
export const fitsBitmap: Readable<boolean> = derive([session], () => {
  const map = poolViews();
  const params = session.getState().machine?.parts[map?.part ?? -1]?.params;
  const pools = Number(params?.find(({ spec }) => spec.name === 'pools')?.value ?? 0n);
  return map !== null && map.entries <= SMALL && (pools === 1 || pools === 2);
});

/** With a bus beside such a map the machine's drawing comes first. */
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

/** The parameter that says within what time a packet has to be dealt with. */
export function packetDeadlineParam() {
  const [{ machine }, roles] = [session.getState(), realTime.getState()];
  return machine && roles && deadlineParam(machine, roles);
}

/** The time that packets are allowed; null where they may take as long as they like. */
export function packetDeadline(): number | null {
  const value = Number(packetDeadlineParam()?.param.value ?? 0);
  return value > 0 ? value : null;
}

function runs(operation: string): boolean {
  const { data, machine } = session.getState();
  return data !== null && machine !== null && runsOperation(machine, data, operation);
}

/** A task is released again and again, or a packet has to be dealt with in time. */
export const hasDeadlines: Readable<boolean> = derive(
  [session],
  () => hasTasks.getState() && (runs('release') || packetDeadline() !== null),
);

/** Buffers, messages or locks have owners. */
export const hasOwners: Readable<boolean> = derive(
  [session],
  () => hasPackets.getState() || (hasTasks.getState() && runs('lock')),
);

/** Something is to be answered: a packet, or what is released again and again. */
export const hasResponses: Readable<boolean> = derive(
  [session],
  () => hasPackets.getState() || hasDeadlines.getState(),
);

/** Runs of the experiment are drawn as curves over a quantity. */
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

/** The experiment sets clients against each other that wait for their answers. */
export const variesClients = fromExperiment(hasTasks, ({ x }) => x.name === 'clients');

/** The experiment goes along the work per byte, over which gains are drawn. */
export const variesWork = fromExperiment(hasPackets, ({ x }) => x.name === 'byte');

/** The experiment sets more than two designs side by side. */
export const comparesDesigns = fromExperiment(hasPackets, ({ axes }) => designAxis(axes) !== null);

/** The experiment sets applications side by side. */
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

/** The scenario sets runs side by side that differ in one design. */
export const comparesRuns = comparesRatios((ratios) => ratios.length > 0);

/** Constants were chosen from what one of its runs gains over another. */
export const calibratesGains = comparesRatios((ratios) =>
  ratios.some(({ role }) => role === 'calibrated'),
);

const crosses = (): boolean => {
  const { data } = session.getState();
  return data === null || (data.experiment?.crossings.length ?? 0) > 0;
};

/** The lab is about curves of many runs that cross, and not about one run on its clock. */
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
