import { useEffect, useState } from 'react';
import { whileBusy } from '../../base/activity';
import { runInSlices } from '../../base/tasks';
import type { Socket } from '../../model/builder/build-file';
import type { BuildFile } from '../../model/builder/build-types';
import { type Offer, offerSteps, serviceSteps } from '../../model/builder/offers';

interface Offers {
  /** For the open ports. */
  readonly parts: readonly Offer[];
  /** Services for devices that no program can use yet. */
  readonly services: readonly Offer[];
}

const NONE: Offers = { parts: [], services: [] };

/**
 * Offers for the open ports of a machine. Many parts are tried for each, so they arrive over several tasks.
 */
export function useOffers(file: BuildFile | null, places: readonly Socket[]): Offers {
  const [found, setFound] = useState(NONE);
  const key = JSON.stringify(places);
  useEffect(() => {
    const sockets = JSON.parse(key) as readonly Socket[];
    setFound(NONE);
    let isOver = false;
    function* all() {
      const parts: Offer[] = [];
      if (!file) return;
      for (const place of sockets) {
        const steps = offerSteps(file, place);
        let step = steps.next();
        for (; !step.done; step = steps.next()) {
          yield;
          if (isOver) return;
        }
        parts.push(...step.value);
      }
      const services = yield* serviceSteps(file);
      if (!isOver && parts.length + services.length > 0) setFound({ parts, services });
    }
    void whileBusy(runInSlices(all()));
    return () => {
      isOver = true;
    };
  }, [file, key]);
  return found;
}
