/** Opens the sweep of a parameter from wherever it is shown. */
import { showOverlay } from '../base/shell-state';
import { createStore } from '../base/store';

/** The parameter that the form of the sweep begins with; '' for none. */
export const sweptParam = createStore({ path: '' });

export function sweepParam(path: string): void {
  sweptParam.setState({ path });
  showOverlay('sweep');
}
