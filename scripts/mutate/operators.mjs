// Mutants: small changes of C text. Found in the syntax tree, so that only expressions and statements
// inside functions are changed, and written into one instrumented text in which a number selects the active
// one.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { Language, Parser } from 'web-tree-sitter';
import { root } from '../lib.mjs';

await Parser.init();
const parser = new Parser();
parser.setLanguage(
  await Language.load(join(root, 'node_modules/tree-sitter-c/tree-sitter-c.wasm')),
);

/** Replacements of each operator. A relation shifts its bound by one, and is inverted. */
const BINARY = {
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '==': ['!='],
  '!=': ['=='],
  '&&': ['||'],
  '||': ['&&'],
  '+': ['-'],
  '-': ['+'],
  '*': ['+'],
  '/': ['*'],
  '%': ['/'],
  '&': ['|'],
  '|': ['&'],
  '^': ['|'],
  '<<': ['>>'],
  '>>': ['<<'],
};
const ASSIGNED = { '+=': '-=', '-=': '+=', '|=': '&=', '&=': '|=', '<<=': '>>=', '>>=': '<<=' };
const RELATIONS = ['<', '<=', '>', '>=', '==', '!='];

/** Places where an expression must be constant. */
const CONSTANT = new Set([
  'array_declarator',
  'attribute_specifier',
  'enumerator',
  'bitfield_clause',
  'subscript_designator',
]);
const REMOVED = new Set([
  'expression_statement',
  'return_statement',
  'break_statement',
  'continue_statement',
]);
const LOOPS = new Set(['for_statement', 'while_statement', 'do_statement']);

/** Macros before a function would prevent parsing of its type: they are blanked to the same length. */
const readable = (source) =>
  source.replace(/\b(SIM_COLD|SIM_INLINE|EXPORT\(\w+\))/g, (macro) => ' '.repeat(macro.length));

const named = (operator, becomes) => ({ operator, becomes });

function binaryOf(node) {
  const operator = node.childForFieldName('operator').type;
  const [left, right] = [node.childForFieldName('left').text, node.childForFieldName('right').text];
  const changed = (BINARY[operator] ?? []).map((other) =>
    named(`${operator} to ${other}`, `${left} ${other} ${right}`),
  );
  if (operator !== '&&' && operator !== '||') return changed;
  return [...changed, named('without the right', left), named('without the left', right)];
}

function literalOf(node) {
  const found = /^(0x[0-9a-f]+|\d+)(u?l*)$/i.exec(node.text);
  if (!found) return [];
  const value = BigInt(found[1]);
  const text = (n) => `${found[1].startsWith('0x') ? `0x${n.toString(16)}` : n}${found[2]}`;
  const more = named('one more', text(value + 1n));
  return value > 0n ? [more, named('one less', text(value - 1n))] : [more];
}

function unaryOf(node) {
  const operator = node.childForFieldName('operator').type;
  const argument = node.childForFieldName('argument').text;
  return ['!', '~', '-'].includes(operator) ? [named(`without ${operator}`, argument)] : [];
}

function assignedOf(node) {
  const operator = node.childForFieldName('operator').type;
  const other = ASSIGNED[operator];
  if (!other) return [];
  const [left, right] = [node.childForFieldName('left').text, node.childForFieldName('right').text];
  return [named(`${operator} to ${other}`, `${left} ${other} ${right}`)];
}

function updatedOf(node) {
  const other = node.text.includes('++')
    ? node.text.replace('++', '--')
    : node.text.replace('--', '++');
  return [named(node.text.includes('++') ? '++ to --' : '-- to ++', other)];
}

const VARIANTS = {
  binary_expression: binaryOf,
  number_literal: literalOf,
  unary_expression: unaryOf,
  assignment_expression: assignedOf,
  update_expression: updatedOf,
};

/** Whether a statement or a choice depends on it; a single relation is inverted as such. */
function isCondition(node) {
  const inside = node.parent?.type === 'parenthesized_expression' ? node.parent : node;
  const condition = inside.parent?.childForFieldName('condition');
  if (!node.isNamed || condition?.id !== inside.id) return false;
  if (node.type === 'parenthesized_expression' || node.type === 'number_literal') return false;
  return !RELATIONS.includes(node.childForFieldName('operator')?.type);
}

/** An unused value only silences the compiler; a macro with a block is not a statement. */
function removable(node) {
  if (!REMOVED.has(node.type) || /^;|^\(void\)/.test(node.text)) return false;
  if (node.lastChild?.isMissing) return false;
  return node.type !== 'return_statement' || node.namedChildCount === 0;
}

const isStatic = (node) =>
  node.type === 'declaration' &&
  node.children.some(
    (child) => child.type === 'storage_class_specifier' && child.text === 'static',
  );

/** Changes at this node: of an expression, or a removed statement. */
function siteOf(node) {
  if (removable(node)) return { kind: 'statement', variants: [named('left out', '')] };
  const variants = VARIANTS[node.type]?.(node) ?? [];
  if (isCondition(node)) variants.push(named('turned round', `!(${node.text})`));
  return variants.length > 0 ? { kind: 'expression', variants } : null;
}

/** All mutable places, and loops with the places inside them. */
function sitesIn(node, inFunction, found) {
  if (node.isError || CONSTANT.has(node.type) || (inFunction && isStatic(node))) return;
  if (/^__builtin_wasm/.test(node.childForFieldName('function')?.text ?? '')) return;
  const within =
    node.type === 'function_definition'
      ? /(\w+)\s*\(/.exec(node.childForFieldName('declarator').text)?.[1]
      : inFunction;
  let into = found;
  const site = within && node.type !== 'function_definition' ? siteOf(node) : null;
  if (site) {
    into = [];
    found.push({ ...site, ...spanOf(node), function: within, inside: into });
  }
  const label = node.type === 'case_statement' ? node.childForFieldName('value') : null;
  for (const child of node.children) {
    if (label && child.id === label.id) continue;
    const body = LOOPS.has(node.type) && node.childForFieldName('body')?.id === child.id;
    const place = body && within ? { kind: 'loop', ...spanOf(child), inside: [] } : null;
    if (place) into.push(place);
    sitesIn(child, within, place ? place.inside : into);
  }
}

const spanOf = (node) => ({
  start: node.startIndex,
  end: node.endIndex,
  line: node.startPosition.row + 1,
  text: node.text,
});

function sitesOf(source) {
  const sites = [];
  sitesIn(parser.parse(readable(source)).rootNode, null, sites);
  return sites;
}

const flat = (sites) => sites.flatMap((site) => [site, ...flat(site.inside)]);

/** A part's file without its parent folder: parts can move. */
const withoutFolder = (path) =>
  path.replace(/^(wasm\/(?:parts|os)\/)\w+\/(\w+\/\w+\.[ch])$/, '$1$2');

/** Numbers the changes of a file. An id is derived from the change and its function, not from its line. */
function numbered(path, sites) {
  const seen = new Map();
  for (const site of flat(sites)) {
    for (const variant of site.variants ?? []) {
      const text = site.text.replace(/\s+/g, ' '); // whatever its format
      const what = `${withoutFolder(path)} ${site.function} ${text} ${variant.operator}`;
      const nth = seen.get(what) ?? 0;
      seen.set(what, nth + 1);
      variant.id = createHash('sha256').update(`${what} ${nth}`).digest('hex').slice(0, 8);
    }
  }
  return sites;
}

/**
 * Every mutant of a C text: where it is, what was there and what it becomes.
 * @typedef {{ id: string, path: string, line: number, function: string, operator: string,
 *   was: string, becomes: string, start: number, end: number }} Mutant
 * @returns {Mutant[]}
 */
export function mutantsOf(path, source) {
  return flat(numbered(path, sitesOf(source))).flatMap(({ variants = [], ...site }) =>
    variants.map(({ id, operator, becomes }) => ({
      ...{ id, path, line: site.line, function: site.function, operator },
      ...{ was: site.text, becomes, start: site.start, end: site.end },
    })),
  );
}

/** The text with one mutant, permanently. */
export const mutated = (source, { start, end, becomes, operator }) =>
  `${source.slice(0, start)}${operator === 'left out' ? ';' : `(${becomes})`}${source.slice(end)}`;

function written(source, sites, from, to, numberOf) {
  let text = '';
  let at = from;
  for (const site of sites) {
    const inner = written(source, site.inside, site.start, site.end, numberOf);
    text += source.slice(at, site.start) + wrapped(site, inner, numberOf);
    at = site.end;
  }
  return text + source.slice(at, to);
}

function wrapped({ kind, variants }, inner, numberOf) {
  if (kind === 'loop') return `{ SIM_TICK; ${inner} }`;
  const on = variants.filter(({ id }) => numberOf.has(id));
  if (on.length === 0) return inner;
  if (kind === 'statement') return `{ if (!SIM_ON(${numberOf.get(on[0].id)})) ${inner} }`;
  return on.reduce(
    (rest, { id, becomes }) => `(SIM_ON(${numberOf.get(id)}) ? (${becomes}) : ${rest})`,
    `(${inner})`,
  );
}

/** The text with all of these mutants, by id: mutant.h selects the active one, and loops are counted. */
export function instrumented(path, source, numberOf) {
  const sites = numbered(path, sitesOf(source));
  return written(source, sites, 0, source.length, numberOf);
}
