/** Opens what exploration found broken as a run that can be stepped, replayed and shared. */
import { showBanner } from '../../base/notices';
import { navigate } from '../../base/route';
import type { Explored } from '../../engine/explore';
import type { FaultProof } from '../../model/prove/proof-faults';
import { counterexample } from '../../model/prove/prove';
import { openText } from '../../model/session/opening';

export async function openCounterexample(fault: FaultProof, found: Explored): Promise<void> {
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
