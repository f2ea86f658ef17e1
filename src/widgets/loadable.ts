/** A component that is fetched when it is first shown, and again after it could not be. */
import { type ComponentType, createElement, lazy } from 'react';
import { fetched, retryCount } from '../base/retry-import';

// biome-ignore lint/suspicious/noExplicitAny: whatever properties the component takes
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
  return function Loadable(props: React.ComponentProps<C>) {
    // React keeps the failure of a lazy component for good; a new one takes its place once it can be had.
    if (lostAt !== null && retryCount() > lostAt) {
      lostAt = null;
      Part = start();
    }
    return createElement(Part, props);
  };
}
