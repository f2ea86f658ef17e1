import { announce } from '../../base/notices';
import { traceVcd } from '../../model/run/vcd';
import type { CompiledMachine } from '../../model/scenario/compile';
import { player } from '../../model/session/opened';
import { session } from '../../model/session/session';
import { download, fileName } from '../../widgets/download';

/** Saves what is recorded as VCD: each lane, and for PCI buses owner, phase and signals clock by clock. */
export function saveWaves(machine: CompiledMachine): void {
  const trace = player.trace();
  if (!trace) {
    announce('Nothing is recorded yet.');
    return;
  }
  const { endPs } = player.state.getState();
  const title = session.getState().data?.title ?? 'busyard';
  download(`${fileName(title)}.vcd`, [...traceVcd(machine, trace, endPs)].join(''), 'text/plain');
}
