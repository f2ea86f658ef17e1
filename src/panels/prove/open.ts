/** Opens a counterexample as a run that can be stepped, replayed and shared. */
import { showBanner } from '../../base/notices';
import { navigate } from '../../base/route';
import type { Explored } from '../../engine/explore';
import { openText } from '../../model/session/session-module';
import type { DefectProof } from '../../model/verify/proof-defects';
import { counterexample } from '../../model/verify/prove';

export async function openCounterexample(fault: DefectProof, found: Explored): Promise<void> {
  const opened = await openText(counterexample(fault, found), `${fault.name}.json`);
  if (opened.ok) return navigate({ view: 'machine' });
  showBanner({
    id: 'counterexample',
    kind: 'error',
    title: opened.title,
    detail: opened.problems.map(({ message }) => message).join(' '),
    passing: true,
  });
}
