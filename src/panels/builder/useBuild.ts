import { useEffect } from 'react';
import { useStore } from '../../controllers/useStore';
import { type BuildState, build, startBuild } from './state';

let users = 0;
let stop: (() => void) | null = null;

/** Something of what is being built; its session is followed as long as a panel shows it. */
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
