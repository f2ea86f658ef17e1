/** The commands of the headless program, and its error handling: users see messages, never stack traces. */
import { version } from '../../package.json';
import { hint, quote } from '../base/suggest';
import { EngineError } from '../engine/api';
import { isRefusal } from '../engine/engine-errors';
import { scenarioJsonSchema } from '../model/scenario/json-schema';
import { referenceMarkdown } from '../model/scenario/part-reference';
import { type CliCommand, command } from './arguments';
import { check } from './check';
import { explore, faults } from './explore';
import { exploreMaps } from './explore-maps';
import { fit } from './fit';
import { grade } from './grade';
import { lesson } from './lesson';
import { warn, write, writeJson } from './output';
import { Refusal } from './refusal';
import { replayMapsCommand } from './replay-maps';
import { replayRefs } from './replay-refs';
import { run } from './run';
import { strength } from './sensitivity';
import { sweep } from './sweep';
import { test } from './test';
import { trace } from './trace';
import { variants } from './variants';

const print = (name: string, summary: string, make: () => Promise<void>) =>
  command({ name, summary }, async () => {
    await make();
    return 0;
  });

const COMMANDS: readonly CliCommand[] = [
  run,
  check,
  test,
  lesson,
  variants,
  grade,
  strength,
  sweep,
  fit,
  trace,
  explore,
  faults,
  replayRefs,
  replayMapsCommand,
  exploreMaps,
  print('schema', 'Prints the JSON Schema of scenario files.', () =>
    writeJson(scenarioJsonSchema()),
  ),
  print('reference', 'Prints the reference of all parts as Markdown.', () =>
    write([referenceMarkdown()]),
  ),
];

const HELP = `busyard ${version}: a simulator of computer I/O, on the command line

${COMMANDS.map(({ name, summary }) => `  busyard ${name}\n      ${summary}\n`).join('')}
busyard COMMAND --help lists the options of a command. FILE is a scenario file, a saved session, or the id of an
included scenario, such as gt/crossover. Values carry their units: --set cpu.switch_time=2.4us
--until "10 us". Exit codes: 0 done, 1 a check failed or the engine stopped, 2 the input was refused.
`;

async function dispatch([first, ...args]: readonly string[]): Promise<number> {
  // `help run` is `run --help`.
  const isHelp = first === 'help' && args.length > 0;
  const name = isHelp ? args[0] : first;
  if (name === undefined || name === 'help' || name === '--help' || name === '-h') {
    await write([HELP]);
    return name === undefined ? 2 : 0;
  }
  if (name === '--version' || name === '-v') {
    await write([`${version}\n`]);
    return 0;
  }
  const found = COMMANDS.find((one) => one.name === name);
  if (found) return found.run(isHelp ? ['--help'] : args);
  const known = COMMANDS.map((one) => one.name);
  throw new Refusal(`There is no command ${quote(name)}${hint(name, known)}`);
}

/** Runs a command line; resolves with the exit code. */
export async function program(args: readonly string[]): Promise<number> {
  try {
    return await dispatch(args);
  } catch (error) {
    if (error instanceof Refusal || error instanceof EngineError) {
      warn(error.message);
      return error instanceof Refusal || isRefusal(error) ? 2 : 1;
    }
    warn(`busyard: internal error: ${String(error)}`);
    return 1;
  }
}
