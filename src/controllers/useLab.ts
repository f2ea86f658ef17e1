import { useEffect } from 'react';
import type { LabState } from '../model/lab/state';
import { attachLab, lab } from './page';
import { useStore } from './useStore';

/** The lab's state, for its panels; while one of them is there, the lab follows the session. */
export function useLab(): LabState;
export function useLab<V>(select: (state: LabState) => V): V;
export function useLab<V>(select?: (state: LabState) => V): V | LabState {
  useEffect(() => attachLab(), []);
  return useStore(lab.state, (state) => (select ? select(state) : state) as V | LabState);
}
