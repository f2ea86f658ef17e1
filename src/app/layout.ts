/** The layout of panels for a window size, and the widths of its columns. */

import { useSyncExternalStore } from 'react';
import { clamp } from '../base/geometry';
import type { View } from '../base/route';

export interface Layout {
  /**
   *   phone    one panel at a time, tabs, controls at the bottom
   *   stacked  the same on a small tablet, with the lesson above
   *   drawer   columns, the right one slides over the centre when asked for
   *   columns  left, centre, right, dock
   */
  readonly kind: 'phone' | 'stacked' | 'drawer' | 'columns';
  readonly left: number;
  readonly right: number;
  /** Too low for two rows in the centre: they become tabs. */
  readonly low: boolean;
  /** Growth factor of the first centre panel on a large screen. */
  readonly growth: number;
}

const RIGHT: Readonly<Record<View, number>> = {
  gallery: 0,
  lab: 336,
  machine: 292,
  sandbox: 0,
  build: 336,
  compare: 0,
  report: 0,
  prove: 0,
  glossary: 0,
  lessons: 0,
  worksheet: 0,
};

/** Below this height, in px, a second row under bars, dock and drawing would be lower than its header. */
const LOW = 860;

export function layoutFor(width: number, height: number, view: View): Layout {
  const low = height < LOW;
  const growth = width < 1680 ? 1 : clamp(1 + (height - 900) / 720, 1, 1.3);
  if (width < 600) return { kind: 'phone', left: 0, right: 0, low, growth };
  if (width < 1024) return { kind: 'stacked', left: 0, right: 0, low, growth };
  if (width < 1280)
    return { kind: 'drawer', left: 264, right: Math.min(RIGHT[view], 336), low, growth };
  if (width < 1680) return { kind: 'columns', left: 288, right: RIGHT[view], low, growth };
  return { kind: 'columns', left: 336, right: Math.max(RIGHT[view], 340), low, growth };
}

function subscribe(listener: () => void): () => void {
  window.addEventListener('resize', listener);
  return () => window.removeEventListener('resize', listener);
}

/** The layout of the present window; components render again only when it changes. */
export function useLayout(view: View): Layout {
  const read = () => JSON.stringify(layoutFor(window.innerWidth, window.innerHeight, view));
  return JSON.parse(useSyncExternalStore(subscribe, read)) as Layout;
}
