/** Limits of scenario and session files, and the version of their format. */
export const FORMAT_VERSION = 1;

/** Limits: far above any reasonable scenario, low enough that a hostile file cannot exhaust memory. */
export const MAX = {
  parts: 256,
  wires: 2048,
  rows: 10_000,
  /** Rows of all threads together; a program counts once for each thread that runs it. */
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
