import { useSyncExternalStore } from 'react';
import type { View } from '../base/route';
import { type Layout, layoutFor } from './layout';

function subscribe(listener: () => void): () => void {
  window.addEventListener('resize', listener);
  return () => window.removeEventListener('resize', listener);
}

/** The layout of the window as it is; components are drawn again only when the arrangement changes. */
export function useLayout(view: View): Layout {
  const read = () => JSON.stringify(layoutFor(window.innerWidth, window.innerHeight, view));
  return JSON.parse(useSyncExternalStore(subscribe, read)) as Layout;
}
