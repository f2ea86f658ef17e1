/**
 * Help for the text of a scenario: what may stand at a place, and what stands there, from the schema of scenario files.
 */
import { findNodeAtLocation, getLocation, getNodeValue, type Node, parseTree } from 'jsonc-parser';
import { scenarioJsonSchema } from './json-schema';
import type { Path } from './json-text';

interface Schema {
  readonly [key: string]: unknown;
  readonly $ref?: string;
  readonly description?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly if?: { readonly properties?: { readonly type?: { readonly const?: unknown } } };
  readonly then?: Schema;
}

let schema: Schema | null = null;

const rootSchema = (): Schema => (schema ??= scenarioJsonSchema());

/** Names that the machine gives: they are in no schema. */
export interface TextContext {
  /** The type of a part, also of one that an extended machine describes. */
  typeOf(part: string): string | null;
  /** Sockets as "part.port". */
  readonly sockets: readonly string[];
}

/** The alternatives of a schema, with references followed. */
function expanded(one: Schema, value: unknown, type: string | null): Schema[] {
  if (one.$ref) {
    const target = (rootSchema().$defs as Record<string, Schema> | undefined)?.[
      one.$ref.replace('#/$defs/', '')
    ];
    return target ? expanded(target, value, type) : [];
  }
  const given = (value as { type?: unknown } | null | undefined)?.type ?? type;
  const conditional = one.if?.properties?.type?.const;
  if (one.then && conditional !== undefined)
    return conditional === given ? expanded(one.then, value, type) : [];
  const inner = [...(one.anyOf ?? []), ...(one.oneOf ?? []), ...(one.allOf ?? [])];
  return [one, ...inner.flatMap((other) => expanded(other, value, type))];
}

function childOf(one: Schema, key: string | number): Schema[] {
  if (typeof key === 'number') return one.items ? [one.items] : [];
  const own = Object.hasOwn(one.properties ?? {}, key) ? one.properties?.[key] : undefined;
  if (own) return [own];
  const { additionalProperties: rest } = one;
  return typeof rest === 'object' ? [rest] : [];
}

/** Schemas of the value at a path. */
function schemasAt(path: Path, root: Node | undefined, context: TextContext): Schema[] {
  const valueAt = (length: number): unknown => {
    const node = root && findNodeAtLocation(root, path.slice(0, length));
    return node && getNodeValue(node);
  };
  const typeAt = (length: number): string | null =>
    length === 3 && path[0] === 'machine' && path[1] === 'parts'
      ? context.typeOf(String(path[2]))
      : null;
  let now = expanded(rootSchema(), valueAt(0), null);
  for (const [depth, key] of path.entries())
    now = now
      .flatMap((one) => childOf(one, key))
      .flatMap((one) => expanded(one, valueAt(depth + 1), typeAt(depth + 1)));
  return now;
}

interface TextSuggestion {
  /** As it is shown. */
  readonly name: string;
  /** As it is written. */
  readonly text: string;
  readonly info: string;
}

interface TextSuggestions {
  /** The range that a suggestion replaces. */
  readonly from: number;
  readonly to: number;
  readonly options: readonly TextSuggestion[];
}

const WORD = /[\w."$-]*$/;
const WORD_END = /^[\w.$ -]*"?$/;

/** The range of the word or string at an offset. */
function wordAt(text: string, offset: number, node: Node | undefined): [from: number, to: number] {
  const isInside = node && node.type !== 'object' && node.type !== 'array' && node.offset <= offset;
  if (isInside && offset <= node.offset + node.length) {
    // A string that is not closed yet goes on into what follows, which stays.
    const end = node.offset + node.length;
    return [node.offset, WORD_END.test(text.slice(offset, end)) ? end : offset];
  }
  const before = WORD.exec(text.slice(0, offset))?.[0] ?? '';
  return [offset - before.length, offset];
}

/** Values that a schema names, each with its description. */
function valuesOf(schemas: readonly Schema[]): TextSuggestion[] {
  return schemas.flatMap((one) => {
    const values = [
      ...(one.const === undefined ? [] : [one.const]),
      ...(one.enum ?? []),
      ...(one.default === undefined ? [] : [one.default]),
      ...(one.examples ?? []),
      ...(one.type === 'boolean' ? [true, false] : []),
    ];
    return values.map((value) => ({
      name: String(value),
      text: JSON.stringify(value),
      info: one.const === undefined ? '' : (one.description ?? ''),
    }));
  });
}

/** Names from the rest of the text: programs in a workload, ports in a wire. */
function namesAt(path: Path, root: Node | undefined, context: TextContext): string[] {
  if (path[0] === 'machine' && path[1] === 'wires') return [...context.sockets];
  if (path[0] !== 'workload' || path.length < 2) return [];
  const programs = root && findNodeAtLocation(root, ['programs']);
  return Object.keys((programs && getNodeValue(programs)) ?? {});
}

const distinct = (options: readonly TextSuggestion[]): TextSuggestion[] =>
  [...new Map(options.toReversed().map((one) => [one.name, one])).values()].toReversed();

/** What may be written at an offset: keys that are not there yet, or values. */
export function helpAt(text: string, offset: number, context: TextContext): TextSuggestions | null {
  const root = parseTree(text);
  const { path, isAtPropertyKey, previousNode } = getLocation(text, offset);
  const [from, to] = wordAt(text, offset, previousNode);
  if (!isAtPropertyKey) {
    const named = namesAt(path, root, context).map((name) => ({
      name,
      text: JSON.stringify(name),
      info: '',
    }));
    const options = distinct([...named, ...valuesOf(schemasAt(path, root, context))]);
    return options.length > 0 ? { from, to, options } : null;
  }
  const parent = path.slice(0, -1);
  const node = root && findNodeAtLocation(root, parent);
  const present = Object.keys((node && getNodeValue(node)) ?? {});
  const colon = /^\s*:/.test(text.slice(to)) ? '' : ': ';
  const options = schemasAt(parent, root, context)
    .flatMap(({ properties = {} }) => Object.entries(properties))
    .filter(([name]) => !present.includes(name) || name === path.at(-1))
    .map(([name, { description = '' }]) => ({
      name,
      text: `${JSON.stringify(name)}${colon}`,
      info: description,
    }));
  return options.length > 0 ? { from, to, options: distinct(options) } : null;
}

interface TextExplanation {
  readonly from: number;
  readonly to: number;
  /** What stands there, such as "bus.clock". */
  readonly name: string;
  readonly info: string;
}

/** What stands at an offset; null if nothing is known about it. */
export function explanationAt(
  text: string,
  offset: number,
  context: TextContext,
): TextExplanation | null {
  const root = parseTree(text);
  const { path, isAtPropertyKey, previousNode: node } = getLocation(text, offset);
  if (!node || offset < node.offset || offset > node.offset + node.length) return null;
  const schemas = schemasAt(path, root, context);
  const value = isAtPropertyKey ? undefined : node.value;
  const chosen = schemas.find((one) => one.const !== undefined && one.const === value);
  const info = chosen?.description ?? schemas.find((one) => one.description)?.description;
  if (!info) return null;
  return {
    from: node.offset,
    to: node.offset + node.length,
    name: chosen ? String(value) : path.slice(-1).join(''),
    info,
  };
}
