/** Where a change of a parameter applies: from the start of the run, or from the playhead on. */
import { createStore } from '../../base/store';
import type { CompiledParam } from '../../model/scenario/compiled';

export type ActsFrom = 'start' | 'here';

export const actsFrom = createStore<{ readonly from: ActsFrom }>({ from: 'start' });

export const isLive = ({ spec }: CompiledParam): boolean => spec.change === 'live';
