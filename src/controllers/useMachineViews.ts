import { useEffect } from 'react';
import { drawnViews } from '../draw/machine/moment';
import type { MachineLayout } from '../draw/machine/types';
import { player } from '../model/session/open-run';

/** Wants of the run what a drawing of the machine shows. */
export function useMachineViews(layout: MachineLayout): void {
  useEffect(() => player.want(drawnViews(layout)), [layout]);
}
