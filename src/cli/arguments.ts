/** Specifications of commands, from which commander parses the command line and prints the help. */
import { Command, CommanderError, Option } from 'commander';
import { parseQuantity } from '../base/quantity.mjs';
import { quote } from '../base/suggest';
import type { CompiledMachine } from '../model/scenario/compiled';
import { write } from './output';
import { Refusal } from './refusal';

interface OptionSpec {
  readonly help: string;
  /** Placeholder of the value in the help; an option without it is a switch. */
  readonly value?: string;
  /** The option may be repeated. */
  readonly many?: true;
}

type Options = Readonly<Record<string, OptionSpec>>;

type Values<O extends Options> = {
  readonly [K in keyof O]?:
    | (O[K] extends { many: true } ? string[] : O[K] extends { value: string } ? string : boolean)
    | undefined;
};

interface CommandSpec<O extends Options> {
  readonly name: string;
  readonly summary: string;
  /** Additional help text below the options. */
  readonly more?: string;
  /** Positional arguments: `<NAME>` one, `[NAME...]` any number. Omitted: none. */
  readonly takes?: readonly [name: string, help: string];
  readonly options?: O;
}

export interface CliCommand {
  readonly name: string;
  readonly summary: string;
  /** Runs the command; resolves with the exit code. */
  run(args: readonly string[]): Promise<number>;
}

const FILE = ['<FILE>', 'a scenario, a saved session, or the id of a scenario'] as const;

export const JSON_OPTION = { help: 'write the result as JSON' } as const;

export const RUN_OPTIONS = {
  set: {
    value: 'part.param=value',
    many: true,
    help: 'change a parameter, such as cpu.switch_time=2.4us',
  },
  var: { value: 'name=value', many: true, help: 'change a variable, such as size=1024' },
  until: { value: 'time', help: 'end there, such as "10 us"' },
} as const satisfies Options;

/** A commander option that rejects an empty value, and a second value unless it may be repeated. */
function optionOf(name: string, { value, help, many }: OptionSpec): Option {
  const option = new Option(value ? `--${name} <${value}>` : `--${name}`, help);
  if (!value) return option;
  return option.argParser((text, before: string | string[] | undefined) => {
    if (text.trim() === '' || text.startsWith('--'))
      throw new Refusal(`--${name} needs a value: ${value}.`);
    if (many) return [...(before ?? []), text];
    if (before !== undefined)
      throw new Refusal(
        `--${name} is given twice, and takes one value: ${quote(String(before))} or ${quote(text)}.`,
      );
    return text;
  });
}

/** Creates a command from its specification; `work` resolves with the exit code. */
export function command<const O extends Options = Readonly<Record<never, never>>>(
  { name, summary, more, takes, options }: CommandSpec<O>,
  work: (values: Values<O>, files: readonly string[]) => Promise<number>,
): CliCommand {
  const run = async (args: readonly string[]) => {
    let help = '';
    const parser = new Command(`busyard ${name}`).description(summary).exitOverride();
    parser.configureOutput({ writeOut: (text) => (help += text), writeErr: () => {} });
    parser.helpOption('-h, --help', 'print this').allowExcessArguments(false);
    if (takes) parser.argument(...takes);
    for (const [key, spec] of Object.entries(options ?? {})) parser.addOption(optionOf(key, spec));
    if (more) parser.addHelpText('after', `\n${more}`);
    try {
      parser.parse(args, { from: 'user' });
    } catch (error) {
      if (!(error instanceof CommanderError)) throw error;
      if (error.code !== 'commander.helpDisplayed') {
        const [sentence = '', guess = ''] = error.message.replace(/^error: /, '').split('\n');
        const advice = guess.replace(/^\((.*)\)$/, ' $1');
        throw new Refusal(`${quote(name)}: ${sentence.replace(/\.?$/, '.')}${advice}`);
      }
      await write([help]);
      return 0;
    }
    const twice = parser.args.find((file, i) => parser.args.indexOf(file) < i);
    if (twice !== undefined) throw new Refusal(`${quote(name)}: ${quote(twice)} is given twice.`);
    return work(parser.opts() as Values<O>, parser.args);
  };
  return { name, summary, run };
}

/** Creates a command that takes one file. */
export const fileCommand = <const O extends Options>(
  spec: CommandSpec<O>,
  work: (values: Values<O>, file: string) => Promise<number>,
): CliCommand => command({ takes: FILE, ...spec }, (values, [file = '']) => work(values, file));

/** End of a run in picoseconds: from the command line, otherwise from the scenario. */
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
