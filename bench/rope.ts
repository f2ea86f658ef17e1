/** A megabyte that a card reads through PCI, bridge and rope: the zx1 with three lines ahead. */

import { Core } from '../src/engine/core';
import { inlineCode } from '../src/engine/engine-code-inline';
import { MEASURE, SessionRunner } from '../src/engine/session';
import { compiled, scenarioAt } from '../tests/support/scenarios';
import type { Work } from './workload';

const core = new Core(await inlineCode());
/** Blocks of 64 KiB. */
const MEGABYTE = 16;

interface Megabyte extends Work {
  /** Index of the bus among the parts. */
  readonly bus: number;
}

/** As a reader of the page has it: with its trace. */
export function megabyte(): Megabyte {
  const { config, untilPs, parts } = compiled(scenarioAt('scenarios/zx1/lines-ahead.json'), {
    variables: { depth: 3 },
    edits: { 'scsi.blocks': MEGABYTE },
    traceLog2: 16,
  });
  const bus = parts.findIndex(({ type }) => type.name === 'pci');
  return { config, untilPs, commands: [], bus };
}

/** Runs it once; transactions count whether they moved data or were retried. */
export function run(work: Megabyte) {
  const runner = new SessionRunner(core, work, { ...MEASURE, record: true });
  const start = performance.now();
  const { events } = runner.run({ untilPs: work.untilPs });
  const ms = performance.now() - start;
  const [transactions = 0, retries = 0] = core.counters(work.bus);
  return { events, ms, transactions: transactions + retries };
}
