/** The commands of the headless program, and what becomes of errors: a sentence, never a stack. */
import { version } from '../../package.json';
import { EngineError } from '../engine/api';
import { isRefusal } from '../engine/faults';
import { scenarioJsonSchema } from '../model/scenario/json-schema';
import { referenceMarkdown } from '../model/scenario/reference';
import { hint, quote } from '../model/scenario/suggest';
import { check } from './check';
import { explore, faults } from './explore';
import { exploreMaps } from './explore-maps';
import { lesson } from './lesson';
import { remark, write, writeJson } from './output';
import { Refusal } from './refusal';
import { replayMapsCommand } from './replay-maps';
import { replayRefs } from './replay-refs';
import { run } from './run';
import { strength } from './strength';
import { sweep } from './sweep';
import { trace } from './trace';

const HELP = `busyard ${version}: a running model of computer I/O, without its page

  busyard run FILE [--set part.param=value] [--var name=value] [--until time] [--json]
      Runs a scenario and says where it ended: state hash, events, time, metrics, counters.
  busyard check [FILES] [--json | --junit | --markdown]
      Compares runs with published figures; exit code 1 if one fails.
  busyard lesson FILE [--json]
      Holds a lesson to what its run shows: links, times, answers, what gives them away; exit code 1 if it fails.
  busyard strength [FILES] [--constant part.param] [--json]
      Moves each constant by a fifth and says how far predicted figures move, beside a plain formula.
  busyard sweep FILE [--set ...] [--var ...] [--json | --csv]
      Runs every point of a scenario's experiment.
  busyard trace FILE [--set ...] [--var ...] [--until time] [--format jsonl | vcd | perfetto]
      Writes every event of a run, with its cause.
  busyard explore [CONFIGURATION] [--json] [--way]
      Visits every state that any order of events can lead to; exit code 1 if an invariant breaks.
  busyard faults [DEFECT] [--json] [--way]
      Explores with each defect switched on; exit code 1 if no invariant notices one of them.
  busyard replay-refs FILE [--cpus N] [--set cache.size=64KiB] [--json]
      Plays a trace of references (din, or Valgrind's lackey) through the caches: hits, misses, write-backs.
  busyard replay-maps FILE [--json]
      Replays a trace of the pooled IOMMU allocator and compares every answer; exit code 1 if one differs.
  busyard replay-maps FILE --policy NAME|all [--pools N] [--entries N] [--page SIZE] [--json]
      Runs the pattern of such a trace, or of ftrace's iommu:map and iommu:unmap events, through policies.
  busyard replay-maps FILE --check [--json]
      Holds the driver of such a recording to the contract: unmapped once, as mapped, not used after; exit code 1 if not.
      Reads ftrace's iommu and dma events; FILE may be packed with gzip, or be - for standard input.
  busyard explore-maps [linux-4.1 | pool-flags | ahead | ahead-atomic | mended] [--json]
                       [--threads N] [--entries N] [--pages N]
      Tries every order of map, use and unmap for rules of lazy flush; tells the shortest way to a stale use.
      Three threads, two pools of three entries, requests for one entry, unless told otherwise.
  busyard schema
      Prints the JSON Schema of scenario files.
  busyard reference
      Prints the reference of all parts as Markdown.

FILE is a scenario file, a saved session, or the id of a scenario that comes with the program, such as
gt/crossover. Values carry their units: --set cpu.switch_time=2.4us --until "10 us".
Exit codes: 0 done, 1 a check failed or the engine stopped, 2 the input was refused.
`;

type Command = (args: readonly string[]) => Promise<number>;

const print =
  (make: () => Promise<void>): Command =>
  async (args) => {
    if (args.length > 0) throw new Refusal(`This command takes no ${quote(args[0])}.`);
    await make();
    return 0;
  };

const COMMANDS: Readonly<Record<string, Command>> = {
  run,
  check,
  lesson,
  strength,
  sweep,
  explore,
  faults,
  trace,
  'replay-maps': replayMapsCommand,
  'replay-refs': replayRefs,
  'explore-maps': exploreMaps,
  schema: print(() => writeJson(scenarioJsonSchema())),
  reference: print(() => write([referenceMarkdown()])),
};

async function dispatch([name, ...args]: readonly string[]): Promise<number> {
  if (
    name === undefined ||
    name === 'help' ||
    [name, ...args].some((one) => one === '--help' || one === '-h')
  ) {
    await write([HELP]);
    return name === undefined ? 2 : 0;
  }
  if (name === '--version' || name === '-v') {
    await write([`${version}\n`]);
    return 0;
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command) return command(args);
  throw new Refusal(`There is no command ${quote(name)}${hint(name, Object.keys(COMMANDS))}`);
}

/** Carries out a command line; resolves to the exit code. */
export async function program(args: readonly string[]): Promise<number> {
  try {
    return await dispatch(args);
  } catch (error) {
    if (error instanceof Refusal || error instanceof EngineError) {
      remark(error.message);
      return error instanceof Refusal || isRefusal(error) ? 2 : 1;
    }
    remark(`This is a defect of busyard, not of what it was given: ${String(error)}`);
    return 1;
  }
}
