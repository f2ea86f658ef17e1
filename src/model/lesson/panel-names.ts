/** Panels that a scenario or a step of a lesson may name. */
export const PANEL_NAMES: readonly string[] = [
  'bus-analyser',
  'cache-lines',
  'driver-script',
  'events',
  'hints',
  'inspector',
  'io-tlb',
  'ordering',
  'overview',
  'ownership',
  'prefetch',
  'runs',
  'why',
];
