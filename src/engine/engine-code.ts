/** The inputs of an engine instance: the compiled module and the shapes of the part types. */
import type { PartType } from './manifest';

/** The fields of a part type that a core needs; the rest of a manifest is documentation. */
export interface PartShape {
  readonly title: string;
  readonly params: readonly { readonly name: string }[];
  readonly ports: readonly {
    readonly name: string;
    readonly first: number;
    readonly count: number;
  }[];
  /** Number of counters. */
  readonly counters: number;
  /** Bit widths of each view's fields. */
  readonly views: readonly (readonly number[])[];
}

export interface EngineCode {
  readonly module: WebAssembly.Module;
  /** Indexed by type number. */
  readonly parts: readonly PartShape[];
}

/**
 * Fetches and compiles a module of the engine.
 * @throws {Error} with a message for the user if the file cannot be fetched
 */
export async function fetchModule(url: string): Promise<WebAssembly.Module> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`The engine could not be fetched (status ${response.status}).`);
  // Some servers do not send application/wasm, which streaming compilation requires.
  const streams = response.headers.get('content-type')?.startsWith('application/wasm');
  return streams
    ? WebAssembly.compileStreaming(response)
    : WebAssembly.compile(await response.arrayBuffer());
}

/** Shapes of part types, small enough to be sent to every worker. */
export const shapesOf = (types: readonly PartType[]): PartShape[] =>
  types.map(({ title, params, ports, counters, views }) => ({
    title,
    params: params.map(({ name }) => ({ name })),
    ports: ports.map(({ name, first, count }) => ({ name, first, count })),
    counters: counters.length,
    views: views.map(({ fields }) => fields.map(({ bits }) => bits)),
  }));
