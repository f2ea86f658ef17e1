/** `busyard trace`: writes the events of a run for other programs. */

import { quote } from '../base/suggest';
import type { Engine } from '../engine/api';
import { recordJsonLine, traceJsonLines, tracePerfetto } from '../model/report/export';
import { traceVcd } from '../model/report/vcd';
import { DEFAULT_TRACE_LOG2 } from '../model/scenario/compile';
import type { CompiledMachine } from '../model/scenario/compiled';
import { findInRun, type Searched } from '../model/session/run-search';
import { createTrace, type Trace } from '../model/trace/trace';
import { fileCommand, RUN_OPTIONS, untilPs } from './arguments';
import { machineOf, readInput } from './input';
import { warn, write } from './output';
import { Refusal } from './refusal';
import { openRun, searchOf, sessionOf } from './run';

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

/** The events that a query finds, of a run of any length. */
async function* linesWhere(engine: Engine, searched: Searched): AsyncGenerator<string> {
  for await (const { trace, found } of findInRun(engine, searched))
    for (const seq of found) yield* recordJsonLine(searched.machine, trace, seq);
}

const SPEC = {
  name: 'trace',
  summary: 'Writes every event of a run, with its cause.',
  options: {
    ...RUN_OPTIONS,
    format: { value: 'format', help: 'jsonl (default), vcd or perfetto' },
    where: { value: 'query', help: 'only events that a query finds (docs/queries.md); jsonl only' },
  },
} as const;

export const trace = fileCommand(SPEC, async (values, file) => {
  const name = values.format ?? 'jsonl';
  const format = FORMATS.get(name);
  if (!format) {
    const known = [...FORMATS.keys()];
    throw new Refusal(`--format is one of ${known.join(', ')}; this is ${quote(name)}.`);
  }
  if (values.where !== undefined && name !== 'jsonl')
    throw new Refusal(`--where is for --format jsonl; ${name} has states over time.`);
  const input = await readInput(file);
  const machine = machineOf(input, values, DEFAULT_TRACE_LOG2);
  const end = untilPs(values.until, machine);
  const engine = await openRun(input, machine);
  if (values.where !== undefined) {
    const search = searchOf('--where', values.where, machine);
    const searched = {
      machine,
      search,
      session: sessionOf(input, machine),
      listed: 'all',
    } as const;
    await write(linesWhere(engine, { ...searched, end: { untilPs: end } }));
    engine.dispose();
    return 0;
  }
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
