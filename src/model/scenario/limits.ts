/** What files of scenarios and sessions may have most of, and their format's version. */
export const FORMAT_VERSION = 1;

/** Caps: no scenario anyone wants comes near them, and a hostile file cannot fill the memory. */
export const MAX = {
  parts: 256,
  wires: 2048,
  rows: 10_000,
  /** Of all threads together, a program counting for each that runs it. */
  allRows: 50_000,
  /** Rows times points of the experiment. */
  rowsOfPoints: 200_000,
  threads: 64,
  points: 4096,
  axisValues: 1024,
  expectations: 4096,
  seeds: 64,
  title: 200,
  text: 4000,
  lesson: 40_000,
} as const;
