import { runCommand } from '../base/commands';
import { player } from '../model/session/open-run';
import { select } from '../model/session/selection';
import { navigateInSession } from '../model/session/session';

/** Events about stale, lost or torn data, or about misdirected accesses. */
const WRONG = /^(stale|torn|neighbour|discarded|lost|fault|error|broken|violation_elsewhere)$/;

/** Sequence numbers of the kept records that show that something went wrong, oldest first. */
export function wrongEvents(): number[] {
  const trace = player.trace();
  return trace ? [...trace.matching((event) => WRONG.test(event.name))] : [];
}

/** Opens the workspace at an event and explains it there. */
export function explainInWorkspace(seq: number): void {
  const record = player.trace()?.record(seq);
  if (!record) return;
  player.pause();
  navigateInSession('machine');
  select({ part: record.part, event: seq });
  void player.toTime(record.timePs);
  // The panel is up after the change of view.
  setTimeout(() => runCommand('why.show'));
}
