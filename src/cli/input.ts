/** FILE arguments: the path of a scenario or saved session, or the id of an included scenario. */
import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { hint, quote } from '../base/suggest';
import { compile } from '../model/scenario/compile';
import type { CompiledMachine } from '../model/scenario/compiled';
import { variablesAt } from '../model/scenario/experiment';
import { MAX_FILE_BYTES, type Path, readJson } from '../model/scenario/json-text';
import { loadScenario } from '../model/scenario/load';
import type { MachineTexts } from '../model/scenario/load-machine';
import type { Problem, Result } from '../model/scenario/problems';
import { withPrograms } from '../model/scenario/program-overrides';
import type { Assignment, Edits, Scenario } from '../model/scenario/scenario-types';
import { listScenarios, machineTexts, readScenario, readText } from '../model/scenario/scenarios';
import { scalarOf } from '../model/scenario/settings';
import { refusedCommands } from '../model/session/commands';
import {
  BUILT_FILE,
  isSession,
  lastRunnable,
  MAX_SESSION_BYTES,
  type SessionDocument,
} from '../model/session/document';
import { readDocument } from '../model/session/document-file';
import { readFile } from './files';
import { Refusal, refusalOf } from './refusal';

/** A saved session, and the positions of its values in the file. */
interface Saved {
  readonly document: SessionDocument;
  readonly problem: (path: Path, message: string) => Problem;
}

/** A scenario, and the saved session that modifies it. */
export interface Input {
  readonly scenario: Scenario;
  readonly saved: Saved | null;
}

function take<T>(result: Result<T>): T {
  if (result.ok) return result.value;
  throw refusalOf(result.problems);
}

/** Machine files in a folder, by name; empty if the folder does not exist. */
function filesIn(folder: string): [string, string][] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.name.endsWith('.json') && !entry.isDirectory())
      .map(({ name }) => [basename(name, '.json'), join(folder, name)]);
  } catch {
    return [];
  }
}

/** Machines next to the file's folder take precedence over included ones. They are read on demand. */
async function machinesFor(path: string): Promise<MachineTexts> {
  const shipped = await machineTexts();
  const folders = [join(dirname(path), '..', 'machines'), join(dirname(path), 'machines')];
  const files = new Map(folders.flatMap(filesIn));
  return {
    keys: () => new Set([...files.keys(), ...shipped.keys()]),
    get: (name) => {
      const file = files.get(name);
      return file === undefined ? shipped.get(name) : readFile(file);
    },
  };
}

async function sessionOf(text: string, file: string): Promise<Input> {
  const document = take(readDocument(text, file));
  const { scenario } = document;
  const json = take(readJson(text, file, MAX_SESSION_BYTES));
  const at = (path: Path, message: string) => json.problem(path, message);
  const known = listScenarios().map((entry) => entry.id);
  if ('id' in scenario && !known.includes(scenario.id)) {
    const sentence = `There is no scenario ${quote(scenario.id)}${hint(scenario.id, known)}`;
    throw refusalOf([at(['scenario', 'id'], sentence)]);
  }
  const good = document.built ? lastRunnable(document.built) : '';
  const read = good
    ? readText(good, BUILT_FILE)
    : 'id' in scenario
      ? readScenario(scenario.id)
      : readText(scenario.text, scenario.name);
  const opened = withPrograms(take(await read), document.programs);
  if (!opened.ok) {
    const [first] = opened.problems;
    throw refusalOf([at(first?.pointer.slice(1).split('/') ?? [], first?.message ?? '')]);
  }
  return { scenario: opened.value, saved: { document, problem: at } };
}

export async function readInput(file: string): Promise<Input> {
  if (!existsSync(file)) {
    const known = listScenarios().map((entry) => entry.id);
    if (known.includes(file)) return { scenario: take(await readScenario(file)), saved: null };
    throw new Refusal(`There is no file and no scenario ${quote(file)}${hint(file, known)}`);
  }
  const text = readFile(file, (begins) => (isSession(begins) ? MAX_SESSION_BYTES : MAX_FILE_BYTES));
  if (isSession(text)) return sessionOf(text, file);
  const machines = await machinesFor(file);
  const id = file.replace(/^.*?([^/\\]+[/\\][^/\\]+)\.json$/, '$1').replaceAll('\\', '/');
  return { scenario: take(loadScenario(text, { id, file, machines })), saved: null };
}

/** Parses the "name=value" pairs of a repeatable option. */
export function pairs(
  option: string,
  written: readonly string[] | undefined,
  nameOf = (name: string) => name,
): [string, string][] {
  const seen = new Set<string>();
  return (written ?? []).map((text) => {
    const [given = '', value = '', ...more] = text.split('=');
    if (!given || !value.trim() || more.length > 0)
      throw new Refusal(`${option} ${quote(text)} should be name=value.`);
    const name = nameOf(given);
    if (seen.has(name)) throw new Refusal(`${option} ${name} is given twice.`);
    seen.add(name);
    return [name, value];
  });
}

const editsFrom = (written: readonly string[] | undefined): Edits =>
  Object.fromEntries(pairs('--set', written).map(([path, text]) => [path, scalarOf(text)]));

const variablesFrom = (written: readonly string[] | undefined): Assignment =>
  Object.fromEntries(pairs('--var', written).map(([name, text]) => [name, scalarOf(text)]));

interface RunChoice {
  readonly set?: string[] | undefined;
  readonly var?: string[] | undefined;
}

/** Changes made by the session and the command line; the command line takes precedence. */
export function changesOf({ saved }: Input, choice: RunChoice) {
  const document = saved?.document;
  return {
    variables: { ...document?.variables, ...variablesFrom(choice.var) },
    edits: { ...document?.edits, ...editsFrom(choice.set) },
    seed: document?.seed ?? undefined,
  };
}

/** The value, or a refusal that names the option or the position in the session file. */
export function takeChanged<T>({ saved }: Input, choice: RunChoice, result: Result<T>): T {
  if (result.ok || !saved) return take(result);
  const written = {
    edits: editsFrom(choice.set),
    variables: variablesFrom(choice.var),
  };
  const problems = result.problems.map((found) => {
    const [, kind = '', name = ''] = /^\/(edits|variables)\/(.*)$/.exec(found.pointer) ?? [];
    const own = kind === 'edits' || kind === 'variables' ? written[kind] : null;
    return own && !Object.hasOwn(own, name) ? saved.problem([kind, name], found.message) : found;
  });
  throw refusalOf(problems);
}

/** Compiles the scenario's own run with the changes of the session and the command line. */
export function machineOf(input: Input, choice: RunChoice, traceLog2: number): CompiledMachine {
  const { scenario, saved } = input;
  const { edits, seed, variables: some } = changesOf(input, choice);
  const variables = takeChanged(input, choice, variablesAt(scenario, some));
  const compiled = compile(scenario, { variables, edits, seed, traceLog2 });
  const machine = takeChanged(input, choice, compiled);
  const refused = refusedCommands(machine, saved?.document.commands ?? []);
  if (saved && refused.length > 0)
    throw refusalOf(refused.map(({ path, message }) => saved.problem(path, message)));
  return machine;
}
