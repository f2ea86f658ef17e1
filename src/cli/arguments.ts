/** Command lines: what node:util parses, with sentences of our own for what it refuses. */
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { parseQuantity } from '../base/quantity.mjs';
import type { CompiledMachine } from '../model/scenario/compile';
import { hint, quote } from '../model/scenario/suggest';
import { Refusal } from './refusal';

type Options = NonNullable<ParseArgsConfig['options']>;

export const RUN_OPTIONS = {
  set: { type: 'string', multiple: true },
  var: { type: 'string', multiple: true },
  until: { type: 'string' },
} as const satisfies Options;

const nameOf = (argument: string) => argument.replace(/^--?/, '').replace(/=.*$/, '');

/** Names of options that were written and do not exist. */
function checkNames(command: string, args: readonly string[], options: Options): void {
  const { tokens } = parseArgs({
    args: [...args],
    options,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  for (const token of tokens) {
    if (token.kind !== 'option' || Object.hasOwn(options, token.name)) continue;
    const known = Object.keys(options).map((name) => `--${name}`);
    throw new Refusal(
      `"${command}" has no option ${quote(token.rawName)}${hint(`--${nameOf(token.rawName)}`, known)}`,
    );
  }
}

function parse<const O extends Options>(command: string, args: readonly string[], options: O) {
  checkNames(command, args, options);
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    // Such as "Option '--until <value>' argument missing"; the rest of the message is advice on dashes.
    const [sentence = ''] = (error as Error).message.split('\n');
    throw new Refusal(`${command}: ${sentence.replace(/\.?$/, '.')}`);
  }
}

/** The arguments of a command that takes one FILE. */
export function parseCommand<const O extends Options>(
  command: string,
  args: readonly string[],
  options: O,
) {
  const { values, positionals } = parse(command, args, options);
  const [file, ...more] = positionals;
  if (file === undefined) throw new Refusal(`"${command}" needs a file or the id of a scenario.`);
  if (more.length > 0) throw new Refusal(`"${command}" takes one file, not ${positionals.length}.`);
  return { values, file };
}

/** The arguments of a command that takes any number of FILES. */
export function parseFiles<const O extends Options>(
  command: string,
  args: readonly string[],
  options: O,
) {
  const { values, positionals } = parse(command, args, options);
  return { values, files: positionals };
}

/** The end of a run: as the command line says, else as the scenario does. */
export function untilPs(text: string | undefined, machine: CompiledMachine): number {
  if (text === undefined) return machine.untilPs;
  try {
    const until = parseQuantity(text, 'time');
    if (until <= BigInt(Number.MAX_SAFE_INTEGER)) return Number(until);
  } catch (error) {
    throw new Refusal(`--until: ${(error as Error).message}`);
  }
  throw new Refusal('--until: A run ends within two hours of simulated time.');
}
