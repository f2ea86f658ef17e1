import { createStore, derive } from '../../base/store';
import { coherentMachine } from '../../model/coherence/coherence-roles';
import { canPlaceBuffers } from '../../model/diagnosis/buffer-placement';
import type { CompiledMachine } from '../../model/scenario/compiled';
import { session } from '../../model/session/session';

/** The device being dragged and its target chain; null while there is no drag. */
export const dragging = createStore<{
  readonly device: number | null;
  readonly chain: number | null;
}>({ device: null, chain: null });

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
