/** `busyard trace`: writes the events of a run for other programs. */

import { quote } from '../base/suggest';
import { traceJsonLines, tracePerfetto } from '../model/report/export';
import { traceVcd } from '../model/report/vcd';
import { DEFAULT_TRACE_LOG2 } from '../model/scenario/compile';
import type { CompiledMachine } from '../model/scenario/compiled';
import { createTrace, type Trace } from '../model/trace/trace';
import { fileCommand, RUN_OPTIONS, untilPs } from './arguments';
import { machineOf, readInput } from './input';
import { warn, write } from './output';
import { Refusal } from './refusal';
import { openRun } from './run';

/** Events run between two reads of the trace; their records always fit into the ring. */
const PIECE = 4096;
const AT_ONCE = 16_384;
/** About 500 MB of text; longer traces need --until. */
const MAX_RECORDS = 4_000_000;

type Write = (machine: CompiledMachine, trace: Trace, endPs: number) => Iterable<string>;

const FORMATS: ReadonlyMap<string, Write> = new Map([
  ['jsonl', traceJsonLines],
  ['vcd', traceVcd],
  ['perfetto', tracePerfetto],
]);

const SPEC = {
  name: 'trace',
  summary: 'Writes every event of a run, with its cause.',
  options: {
    ...RUN_OPTIONS,
    format: { value: 'format', help: 'jsonl (default), vcd or perfetto' },
  },
} as const;

export const trace = fileCommand(SPEC, async (values, file) => {
  const name = values.format ?? 'jsonl';
  const format = FORMATS.get(name);
  if (!format) {
    const known = [...FORMATS.keys()];
    throw new Refusal(`--format is one of ${known.join(', ')}; this is ${quote(name)}.`);
  }
  const input = await readInput(file);
  const machine = machineOf(input, values, DEFAULT_TRACE_LOG2);
  const end = untilPs(values.until, machine);
  const engine = await openRun(input, machine);
  const kept = createTrace(machine);
  let endPs = 0;
  for (let events = PIECE, more = true; more; events += PIECE) {
    const result = await engine.run({ untilPs: end, untilEvents: events });
    endPs = result.timePs;
    while (kept.last < result.seq) {
      const frame = await engine.frame({
        views: [],
        trace: { fromSeq: kept.last + 1, max: AT_ONCE },
      });
      if (!frame.trace || frame.trace.length === 0) break;
      kept.append(frame.trace);
      engine.release(frame);
    }
    more = result.reason === 'events' && kept.last < MAX_RECORDS;
    if (result.reason === 'events' && !more)
      warn(`Only the first ${kept.last} records are written; use --until to end earlier.`);
  }
  engine.dispose();
  await write(format(machine, kept, endPs));
  return 0;
});
