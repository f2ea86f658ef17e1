import { useEffect, useState } from 'react';
import { whileBusy } from '../../base/activity';
import { nextTask } from '../../base/tasks';
import type { Socket } from '../../model/builder/build-file';
import type { BuildFile } from '../../model/builder/build-types';
import { type Offer, offerSteps } from '../../model/builder/offers';

/** Time per task for finding offers, in ms, so that tasks stay below 50. */
const SLICE_MS = 12;

const NONE: readonly Offer[] = [];

/**
 * Offers for the open ports of a machine. Many parts are tried for each, so they arrive over several tasks.
 */
export function useOffers(file: BuildFile | null, places: readonly Socket[]): readonly Offer[] {
  const [found, setFound] = useState(NONE);
  const key = JSON.stringify(places);
  useEffect(() => {
    const sockets = JSON.parse(key) as readonly Socket[];
    setFound(NONE);
    let isOver = false;
    const find = async () => {
      const all: Offer[] = [];
      let sliceEnd = performance.now() + SLICE_MS;
      for (const place of file ? sockets : []) {
        const steps = offerSteps(file as BuildFile, place);
        let step = steps.next();
        for (; !step.done; step = steps.next()) {
          if (performance.now() < sliceEnd) continue;
          await nextTask();
          if (isOver) return;
          sliceEnd = performance.now() + SLICE_MS;
        }
        all.push(...step.value);
      }
      if (all.length > 0) setFound(all);
    };
    void whileBusy(find());
    return () => {
      isOver = true;
    };
  }, [file, key]);
  return found;
}
