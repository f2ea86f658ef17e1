/** FILE arguments: the path of a scenario or saved session, or the id of a scenario that is shipped. */
import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type CompiledMachine, compile, type Edits } from '../model/compile';
import { isSession, type SessionDocument } from '../model/document';
import { readDocument } from '../model/documentFile';
import { variablesAt } from '../model/experiment';
import { MAX_FILE_BYTES } from '../model/jsonText';
import type { ByteSource } from '../model/mapTrace';
import type { Result } from '../model/problems';
import { loadScenario } from '../model/scenario';
import { listScenarios, machineTexts, readScenario, readText } from '../model/scenarios';
import type { Assignment, Scenario, Value } from '../model/scenarioTypes';
import { hint, quote } from '../model/suggest';
import { Refusal, refusalOf } from './refusal';

/** A scenario, and what a saved session changes in it. */
export interface Input {
  readonly scenario: Scenario;
  readonly document: SessionDocument | null;
}

function take<T>(result: Result<T>): T {
  if (result.ok) return result.value;
  throw refusalOf(result.problems);
}

function readFile(path: string): string {
  const status = statSync(path);
  if (status.isDirectory()) throw new Refusal(`${path} is a folder, not a file.`);
  if (status.size > MAX_FILE_BYTES) throw new Refusal(`${path} is larger than 1 MB.`);
  return readFileSync(path, 'utf8');
}

/** Machines beside the file's folder come before those that are shipped. */
async function machinesFor(path: string): Promise<ReadonlyMap<string, string>> {
  const machines = new Map(await machineTexts());
  for (const folder of [join(dirname(path), '..', 'machines'), join(dirname(path), 'machines')]) {
    if (!existsSync(folder) || !statSync(folder).isDirectory()) continue;
    for (const name of readdirSync(folder))
      if (name.endsWith('.json'))
        machines.set(basename(name, '.json'), readFile(join(folder, name)));
  }
  return machines;
}

async function sessionOf(text: string, file: string): Promise<Input> {
  const document = take(readDocument(text, file));
  const { scenario } = document;
  const read =
    'id' in scenario ? readScenario(scenario.id) : readText(scenario.text, scenario.name);
  return { scenario: take(await read), document };
}

export async function readInput(file: string): Promise<Input> {
  if (!existsSync(file)) {
    const known = listScenarios().map((entry) => entry.id);
    if (known.includes(file)) return { scenario: take(await readScenario(file)), document: null };
    throw new Refusal(`There is no file and no scenario ${quote(file)}${hint(file, known)}`);
  }
  const text = readFile(file);
  if (isSession(text)) return sessionOf(text, file);
  const machines = await machinesFor(file);
  const id = file.replace(/^.*?([^/\\]+[/\\][^/\\]+)\.json$/, '$1').replaceAll('\\', '/');
  return { scenario: take(loadScenario(text, { id, file, machines })), document: null };
}

/** "name=value" pairs of an option that may be repeated. */
function pairs(option: string, written: readonly string[] | undefined): [string, string][] {
  return (written ?? []).map((text) => {
    const at = text.indexOf('=');
    if (at < 1) throw new Refusal(`${option} ${quote(text)} should be name=value.`);
    return [text.slice(0, at), text.slice(at + 1)];
  });
}

const scalar = (text: string): Value => {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
};

export const editsFrom = (written: readonly string[] | undefined): Edits =>
  Object.fromEntries(pairs('--set', written).map(([path, text]) => [path, scalar(text)]));

export const variablesFrom = (written: readonly string[] | undefined): Assignment =>
  Object.fromEntries(pairs('--var', written).map(([name, text]) => [name, scalar(text)]));

interface RunChoice {
  readonly set?: string[] | undefined;
  readonly var?: string[] | undefined;
}

/** One run: the scenario's own, with what the session and the command line change. */
export function machineOf(input: Input, choice: RunChoice, traceLog2: number): CompiledMachine {
  const { scenario, document } = input;
  const variables = take(
    variablesAt(scenario, { ...document?.variables, ...variablesFrom(choice.var) }),
  );
  const edits = { ...document?.edits, ...editsFrom(choice.set) };
  const seed = document?.seed ?? undefined;
  return take(compile(scenario, { variables, edits, seed, traceLog2 }));
}

/** Enough of a file to tell what it holds. */
const BEGINNING = 4096;

/** Opens a file, which may be larger than memory: its bytes piece by piece, and how it begins. */
export async function withBytes<T>(
  file: string,
  work: (source: ByteSource, beginning: Uint8Array) => Promise<T>,
): Promise<T> {
  if (!existsSync(file)) throw new Refusal(`There is no file ${quote(file)}.`);
  if (statSync(file).isDirectory()) throw new Refusal(`${file} is a folder, not a file.`);
  const opened = openSync(file, 'r');
  try {
    const beginning = new Uint8Array(BEGINNING);
    const length = readSync(opened, beginning, 0, BEGINNING, 0);
    let at = 0;
    const read = (into: Uint8Array) => {
      const got = readSync(opened, into, 0, into.length, at);
      at += got;
      return got;
    };
    return await work({ read }, beginning.subarray(0, length));
  } finally {
    closeSync(opened);
  }
}
