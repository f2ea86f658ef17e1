/** What it takes to start an engine anywhere: its code, and where it keeps what. */
import type { PartType } from './manifest';

/** What a core needs to know of a part's type; the rest of a manifest is for people. */
export interface PartShape {
  readonly title: string;
  readonly params: readonly { readonly name: string }[];
  readonly ports: readonly {
    readonly name: string;
    readonly first: number;
    readonly count: number;
  }[];
  /** How many counters it has. */
  readonly counters: number;
  /** Bits of each field of a row, by view. */
  readonly views: readonly (readonly number[])[];
}

export interface EngineCode {
  readonly module: WebAssembly.Module;
  /** By type number. */
  readonly parts: readonly PartShape[];
}

/**
 * Fetches and compiles a module of the engine.
 * @throws {Error} with a sentence when the file cannot be had
 */
export async function fetchModule(url: string): Promise<WebAssembly.Module> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`The engine could not be fetched (status ${response.status}).`);
  // Some plain servers send another type than application/wasm; streaming insists on it.
  const streams = response.headers.get('content-type')?.startsWith('application/wasm');
  return streams
    ? WebAssembly.compileStreaming(response)
    : WebAssembly.compile(await response.arrayBuffer());
}

/** Shapes of part types: small enough to be sent to every worker. */
export const shapesOf = (types: readonly PartType[]): PartShape[] =>
  types.map(({ title, params, ports, counters, views }) => ({
    title,
    params: params.map(({ name }) => ({ name })),
    ports: ports.map(({ name, first, count }) => ({ name, first, count })),
    counters: counters.length,
    views: views.map(({ fields }) => fields.map(({ bits }) => bits)),
  }));
