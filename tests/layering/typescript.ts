/**
 * The layers of src/: base <- engine <- model <- draw <- controllers <- widgets <- panels <- app, and cli beside them.
 * One file at a time, from its syntax tree: what it imports (also by import(), import.meta.glob and
 * new URL(...)), and which names of the page it uses.
 */
import { posix } from 'node:path';
import { parseSync } from 'vite';

const LAYERS = ['base', 'engine', 'model', 'draw', 'controllers', 'widgets', 'panels', 'app'];
const MAY_USE: Record<string, readonly string[]> = {
  ...Object.fromEntries(LAYERS.map((layer, i) => [layer, LAYERS.slice(0, i + 1)])),
  cli: ['base', 'engine', 'model', 'cli'],
};

/** The floors of src/model: a room imports only rooms of lower floors. Tests and fixtures may look anywhere. */
const MODEL_FLOORS: readonly (readonly string[])[] = [
  ['published', 'trace'],
  ['scenario'],
  ['lint'],
  ['session'],
  ['pools', 'drivers', 'builder', 'lesson'],
  ['coherence', 'realtime', 'verify'],
  ['diagnosis', 'report'],
  ['sandbox'],
  ['lab', 'sweep'],
];

const floorOf = (room: string) => MODEL_FLOORS.findIndex((rooms) => rooms.includes(room));

/** Layers that run without a page, and the packages that they may use. */
const PAGELESS = ['base', 'engine', 'model', 'draw', 'cli'];
const PAGELESS_PACKAGES =
  /^(commander|zod|jsonc-parser|fflate|ml-levenberg-marquardt|zustand\/vanilla|d3-(array|scale|shape))$/;
const PAGE_NAMES =
  /^(document|window|localStorage|sessionStorage|indexedDB|history|location|navigator|React|JSX|(HTML|SVG|CSS).+|(DOM|Mouse|Pointer|Keyboard|Drag|Wheel|Touch|UI).*Event|Element|CanvasRenderingContext2D|OffscreenCanvas|ResizeObserver|IntersectionObserver)$/;

/** Files outside src/ that the sources may import as data. */
const DATA = /^(scenarios\/|public\/|build\/(core|checks)\.wasm|package\.json)/;

interface Node {
  readonly type: string;
  readonly start: number;
  readonly [key: string]: unknown;
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';

function walk(node: Node, visit: (node: Node, parent: Node | null, key: string) => void) {
  const go = (at: Node, parent: Node | null, key: string) => {
    visit(at, parent, key);
    for (const [name, value] of Object.entries(at)) {
      for (const child of Array.isArray(value) ? value : [value]) {
        if (isNode(child)) go(child, at, name);
      }
    }
  };
  go(node, null, '');
}

/** The text of a literal, of each literal of an array, or nothing. */
function texts(node: unknown): string[] {
  if (!isNode(node)) return [];
  if (node.type === 'Literal' && typeof node.value === 'string') return [node.value];
  if (node.type === 'TemplateLiteral' && Array.isArray(node.quasis)) {
    const [first] = node.quasis as { value: { cooked: string } }[];
    return first ? [first.value.cooked] : [];
  }
  return node.type === 'ArrayExpression' ? (node.elements as unknown[]).flatMap(texts) : [];
}

const isImportMeta = (node: unknown) => isNode(node) && node.type === 'MetaProperty';

/** The path that a node imports, if it is an import. */
function importsOf(node: Node): string[] {
  const [first, second] = (node.arguments as unknown[] | undefined) ?? [];
  switch (node.type) {
    case 'ImportDeclaration':
    case 'ExportNamedDeclaration':
    case 'ExportAllDeclaration':
    case 'ImportExpression':
    case 'TSImportType':
      return texts(node.source);
    case 'CallExpression': {
      const callee = node.callee as Node;
      const isGlob = callee.type === 'MemberExpression' && isImportMeta(callee.object);
      return isGlob ? texts(first).filter((text) => !text.startsWith('!')) : [];
    }
    case 'NewExpression': {
      const base = second as Node | undefined;
      const isRelative = base?.type === 'MemberExpression' && isImportMeta(base.object);
      return isRelative
        ? texts(first).map((text) => (/^[./]/.test(text) ? text : `./${text}`))
        : [];
    }
    default:
      return [];
  }
}

const layerOf = (path: string) => path.match(/^src\/([^/]+)\//)?.[1] ?? '';
const panelOf = (path: string) => path.match(/^src\/panels\/([^/*]+)\//)?.[1];
const isTest = (path: string) => /\.test\.tsx?$/.test(path);

const roomOf = (path: string) => path.match(/^src\/model\/([^/]+)\//)?.[1];

function floorProblem(path: string, file: string): string | null {
  const [from, to] = [roomOf(path), roomOf(file)];
  if (!from || !to || from === to) return null;
  if (isTest(path) || /\.fixture\.ts$/.test(path)) return null;
  if (floorOf(from) < 0) return `${from} has no floor in src/model`;
  return floorOf(to) < floorOf(from) ? null : `model/${from} must not know model/${to}`;
}

function importProblem(path: string, wanted: string): string | null {
  const layer = layerOf(path);
  const target = wanted.replace(/\?.*$/, '');
  if (!/^[./]/.test(target)) {
    if (isTest(path)) return null;
    if (target.startsWith('node:')) return layer === 'cli' ? null : `${layer} must run in a page`;
    const fit = !PAGELESS.includes(layer) || PAGELESS_PACKAGES.test(target);
    return fit ? null : `${layer} takes no packages of the page`;
  }
  const file = target.startsWith('/')
    ? target.slice(1)
    : posix.normalize(posix.join(posix.dirname(path), target));
  const other = layerOf(file);
  if (!other) return DATA.test(file) ? null : 'sources take in only each other and data';
  if (!MAY_USE[layer]?.includes(other)) return `${layer} must not know ${other}`;
  if (panelOf(path) && other === 'panels' && panelOf(file) !== panelOf(path)) {
    return 'panels must not know each other';
  }
  return floorProblem(path, file);
}

/** Names declared in a file: a local `location` is not the page's. */
function declaredNames(program: Node): Set<string> {
  const names = new Set<string>();
  const declares =
    /^(VariableDeclarator|Function|Arrow|Import.*Specifier|TS(Type|Interface)|Class)/;
  const patterns = /^(ArrayPattern|ObjectPattern|AssignmentPattern|RestElement|Property)$/;
  walk(program, (node, parent, key) => {
    if (node.type !== 'Identifier' || !parent) return;
    const inDeclaration = declares.test(parent.type) && /^(id|params|local)$/.test(key);
    const inPattern = patterns.test(parent.type) && /^(elements|value|left|argument)$/.test(key);
    if (inDeclaration || inPattern) names.add(String(node.name));
  });
  return names;
}

function isUse(node: Node, parent: Node | null, key: string): boolean {
  if (node.type !== 'Identifier' || !parent || parent.computed === true) return true;
  if (parent.type === 'MemberExpression' && key === 'property') return false;
  if (/^(Property|PropertyDefinition|MethodDefinition)$/.test(parent.type)) return key !== 'key';
  return !/^TS(PropertySignature|MethodSignature|QualifiedName|EnumMember)$/.test(parent.type);
}

/** The paths that a file imports, from the root and without extension. */
function importedFiles(path: string, text: string): string[] {
  const lang = path.endsWith('x') ? 'tsx' : 'ts';
  const files: string[] = [];
  walk(parseSync(path, text, { lang }).program as unknown as Node, (node) => {
    for (const wanted of importsOf(node))
      if (/^\./.test(wanted))
        files.push(posix.normalize(posix.join(posix.dirname(path), wanted.replace(/\?.*$/, ''))));
  });
  return files;
}

type Source = readonly [path: string, text: string];

/** Paths along the arrows of a graph that end where they begin: "a > b > a". */
function ringsIn(arrows: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const done = new Set<string>();
  const rings: string[] = [];
  const visit = (node: string, way: readonly string[]) => {
    const at = way.indexOf(node);
    if (at >= 0) rings.push([...way.slice(at), node].join(' > '));
    if (at >= 0 || done.has(node)) return;
    for (const next of arrows.get(node) ?? []) visit(next, [...way, node]);
    done.add(node);
  };
  for (const node of arrows.keys()) visit(node, []);
  return rings;
}

const isGenerated = (path: string) => /\/gen(\/|$)/.test(path);

/** Imports between the files of the product, generated ones left out. */
const arrowsOf = (sources: readonly Source[]) =>
  sources
    .filter(([path]) => !isTest(path) && !/\.fixture\.tsx?$/.test(path) && !isGenerated(path))
    .flatMap(([path, text]) =>
      importedFiles(path, text)
        .filter((file) => !isGenerated(file))
        .map((file) => [path, file] as const),
    );

function graphOf(arrows: readonly (readonly [string, string])[]) {
  const graph = new Map<string, Set<string>>();
  for (const [from, to] of arrows) graph.set(from, (graph.get(from) ?? new Set()).add(to));
  return graph;
}

/**
 * Rings of imports, also by type or on demand: "src/draw/a > src/draw/b > src/draw/a" for files, and for folders of
 * one layer.
 */
export function ringsOf(sources: readonly Source[]) {
  const arrows = arrowsOf(sources);
  const folders = arrows
    .filter(([from, to]) => layerOf(from) === layerOf(to))
    .map(([from, to]) => [posix.dirname(from), posix.dirname(to)] as const)
    .filter(([from, to]) => from !== to);
  const files = arrows.map(([from, to]) => [from.replace(/\.tsx?$/, ''), to] as const);
  return { files: ringsIn(graphOf(files)), folders: ringsIn(graphOf(folders)) };
}

/** Violations of a source file, as sentences with path and line. */
export function problemsOfSource(path: string, text: string): string[] {
  const lang = path.endsWith('x') ? 'tsx' : 'ts';
  const { program, errors } = parseSync(path, text, { lang });
  if (errors.length > 0) return [`${path}: ${errors[0]?.message}`];
  const problems: string[] = [];
  const root = program as unknown as Node;
  const layer = layerOf(path);
  if (!MAY_USE[layer]) return [`${path}: ${layer || 'src/'} is not a layer`];
  const report = (node: Node, problem: string) =>
    problems.push(`${path}:${text.slice(0, node.start).split('\n').length}: ${problem}`);
  const pageless = PAGELESS.includes(layer) && !isTest(path);
  const own = declaredNames(root);
  walk(root, (node, parent, key) => {
    for (const wanted of importsOf(node)) {
      const problem = importProblem(path, wanted);
      if (problem) report(node, `imports ${wanted}: ${problem}`);
    }
    if (!pageless || node.type !== 'Identifier') return;
    const name = String(node.name);
    if (!PAGE_NAMES.test(name) || own.has(name) || !isUse(node, parent, key)) return;
    report(node, `uses ${name}: ${layer} must run without a page`);
  });
  return problems;
}
