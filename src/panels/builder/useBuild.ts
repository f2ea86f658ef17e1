import { useEffect } from 'react';
import { useStore } from '../../controllers/useStore';
import { type BuildState, build, startBuild } from './state';

let users = 0;
let stop: (() => void) | null = null;

/** Selects from the builder's state; the session is followed while a panel uses it. */
export function useBuild<T>(read: (state: BuildState) => T): T {
  useEffect(() => {
    users++;
    stop ??= startBuild();
    return () => {
      users--;
      if (users > 0) return;
      stop?.();
      stop = null;
    };
  }, []);
  return useStore(build, read);
}
