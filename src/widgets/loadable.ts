/** A component that is loaded when first shown, and loaded again after a failure. */
import { type ComponentType, createElement, lazy } from 'react';
import { fetched, retryCount } from '../base/retry-import';

// biome-ignore lint/suspicious/noExplicitAny: the component may take any properties
type Any = any;

export function loadable<C extends ComponentType<Any>>(load: () => Promise<{ default: C }>) {
  let lostAt: number | null = null;
  const start = () =>
    lazy(() =>
      fetched(load).catch((error) => {
        lostAt = retryCount();
        throw error;
      }),
    );
  let Part = start();
  function Loadable(props: React.ComponentProps<C>) {
    // React remembers the failure of a lazy component, so a retry needs a new one.
    if (lostAt !== null && retryCount() > lostAt) {
      lostAt = null;
      Part = start();
    }
    return createElement(Part, props);
  }
  /** Begins the download; a failure is left to the first rendering. */
  Loadable.preload = (): Promise<unknown> => load().catch(() => null);
  return Loadable;
}
