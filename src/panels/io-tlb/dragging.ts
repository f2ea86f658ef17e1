import { createStore, derive } from '../../base/store';
import { coherentMachine } from '../../model/coherence/coherence-roles';
import { canPlaceBuffers } from '../../model/diagnosis/buffer-placement';
import type { CompiledMachine } from '../../model/scenario/compiled';
import { session } from '../../model/session/session';

interface Dragging {
  readonly device: number | null;
  readonly chain: number | null;
  /** Where buffers were placed last: the chain that the machine made by it will show once it runs. */
  readonly placed: {
    readonly device: number;
    readonly chain: number;
    readonly machine: CompiledMachine | null;
  } | null;
}

/** The device being dragged and its target chain; null while there is no drag. */
export const dragging = createStore<Dragging>({ device: null, chain: null, placed: null });

/** The chain of a device's buffers in the present machine, also before its run shows it. */
export function placedChain(device: number, shown: number): number {
  const { placed } = dragging.getState();
  const isLast = placed?.device === device && placed.machine === session.getState().machine;
  return isLast ? placed.chain : shown;
}

let known: { readonly machine: CompiledMachine | null; readonly devices: readonly number[] } = {
  machine: null,
  devices: [],
};

/** Devices whose buffers can be moved, by part; the same array for the same machine. */
export const movableDevices = derive([session], (): readonly number[] => {
  const { machine, data } = session.getState();
  if (machine === known.machine) return known.devices;
  const tlb = machine && coherentMachine(machine).tlb;
  const devices =
    machine && tlb && data
      ? machine.parts
          .map(({ index }) => index)
          .filter((device) => canPlaceBuffers(machine, tlb, device, data))
      : [];
  known = { machine, devices };
  return devices;
});
