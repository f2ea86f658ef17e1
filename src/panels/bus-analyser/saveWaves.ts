import { announce } from '../../base/notices';
import { Slices } from '../../engine/run-slices';
import { traceVcd } from '../../model/report/vcd';
import type { CompiledMachine } from '../../model/scenario/compiled';
import { player } from '../../model/session/open-run';
import { session } from '../../model/session/session';
import { download, fileName } from '../../widgets/download';

/** Saves the trace as VCD: each lane, and for PCI buses owner, phase and signals clock by clock. */
export async function saveWaves(machine: CompiledMachine): Promise<void> {
  const trace = player.trace();
  if (!trace) {
    announce('Nothing is recorded yet.');
    return;
  }
  const { endPs } = player.state.getState();
  const title = session.getState().data?.title ?? 'busyard';
  const slices = new Slices();
  const pieces: string[] = [];
  for (const piece of traceVcd(machine, trace, endPs)) {
    pieces.push(piece);
    if (slices.isOver) await slices.pause();
  }
  download(`${fileName(title)}.vcd`, new Blob(pieces, { type: 'text/plain' }));
}
