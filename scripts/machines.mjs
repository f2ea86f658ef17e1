// Compiles the machines of the C unit tests: scenarios/machines/*.json, and small ones beside the tests
// (wasm/test/machines/*.json), which can extend those. Writes build/machines/machines.h for
// wasm/test/testing.c; a test names a machine, its parts and their parameters as in the JSON file
// (wasm/test/testing.h).
//
//     node scripts/machines.mjs
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { buildIfStale, filesUnder, root, runIfMain, UserError, writeAtomically } from './lib.mjs';

const FOLDERS = ['scenarios/machines', 'wasm/test/machines'];
const COMPILER = ['src/base', 'src/engine', 'src/model/scenario'];
export const MACHINES = 'build/machines/machines.h';

/** Texts by name: a test's own machine may not have the name of another. */
function texts() {
  const found = new Map();
  for (const path of filesUnder(...FOLDERS).filter((one) => one.endsWith('.json'))) {
    const name = basename(path, '.json');
    if (found.has(name)) throw new UserError(`${path}: ${found.get(name).path} has this name.`);
    found.set(name, { path, text: readFileSync(join(root, path), 'utf8') });
  }
  return found;
}

/**
 * The scenario compiler, in TypeScript. Its messages call each machine "machines/NAME.json", wherever the
 * file is.
 */
async function openCompiler(all) {
  const withPath = (line) =>
    line.replace(/^machines\/([\w-]+)\.json/, (text, name) => all.get(name)?.path ?? text);
  const { createServer, createServerModuleRunner } = await import('vite');
  const server = await createServer({
    ...{ root, configFile: false, appType: 'custom', logLevel: 'error' },
    ...{ optimizeDeps: { noDiscovery: true } },
    server: { middlewareMode: true, hmr: false, ws: false, watch: null },
  });
  const runner = createServerModuleRunner(server.environments.ssr, { hmr: false });
  const load = (path) => runner.import(join(root, `src/${path}.ts`));
  const [{ shapeScenario }, { loadScenario }, { compile }, { lineOf }, { runToCompletion }] =
    await Promise.all([
      ...['load-scenario', 'load', 'compile', 'problems'].map((one) =>
        load(`model/scenario/${one}`),
      ),
      load('base/tasks'),
    ]);
  /** The value of a result; its problems are thrown as an error. */
  const must = (result) => {
    if (result.ok) return result.value;
    throw new UserError(result.problems.map(lineOf).map(withPath).join('\n'));
  };
  /** A machine by name, with an empty program on every part that runs programs. */
  const machineOf = (name, machines) => {
    const options = { machines, forChecks: true, file: name };
    const bare = must(shapeScenario(scenarioOf(name, {}), options, null));
    const { parts } = must(runToCompletion(bare.read())).machine;
    const programmed = parts.filter(({ type }) => type.tables.some(({ loops }) => loops));
    const workload = Object.fromEntries(programmed.map((part) => [part.name, [{ do: 'end' }]]));
    const scenario = must(loadScenario(scenarioOf(name, workload), options));
    return must(compile(scenario, { counted: true }));
  };
  const close = async () => {
    await runner.close();
    await server.close();
  };
  return { machineOf, close };
}

/** A scenario without programs for the machine. */
function scenarioOf(name, workload) {
  return JSON.stringify({
    ...{ busyard: 1, title: name, summary: name, system: 'test' },
    ...{ until: '1 s', view: { kind: 'machine' }, machine: { extends: name }, workload },
  });
}

const words = (values) =>
  values.length > 0 ? values.map((value) => `0x${value.toString(16)}u`).join(', ') : '0';

/** A machine as C: values of parameters and of rows, the parts, the wires. */
function asC(name, { parts, wires }) {
  const id = `machine_${name.replace(/\W/g, '_')}`;
  const values = [];
  const place = (some) => values.push(...some) - some.length;
  const rows = parts.map(({ name: part, type, params, tables }) => {
    const at = place(params.map(({ value }) => value));
    const filled = tables.map((table, i) => {
      const cells = table.flatMap((row) => row.values);
      const fields = type.tables[i].fields.length;
      return `{&${id}_params[${place(cells)}], ${cells.length}, ${fields}}`;
    });
    const start = `"${part}", "${type.name}", ${type.id}, ${at}, ${params.length}, ${tables.length}`;
    return `  {${start}, {${filled.join(', ') || '{0}'}}},`;
  });
  const ends = wires.map(({ ends: [a, b] }) => `  {${a.part}, ${a.slot}, ${b.part}, ${b.slot}},`);
  const counts = `${parts.length}, ${ends.length}, ${values.length}`;
  return {
    text: `
static const uint64_t ${id}_params[] = {${words(values)}};
static const struct machine_part ${id}_parts[] = {
${rows.join('\n')}
};
static const uint32_t ${id}_wires[][4] = {
${ends.join('\n')}
};
`,
    row: `  {"${name}", ${id}_params, ${id}_parts, ${id}_wires, ${counts}},`,
  };
}

async function write(path) {
  const all = texts();
  const machines = new Map([...all].map(([name, { text }]) => [name, text]));
  const { machineOf, close } = await openCompiler(all);
  try {
    const compiled = [...all.keys()].map((name) => asC(name, machineOf(name, machines)));
    writeFileSync(
      join(root, path),
      `/* Generated by scripts/machines.mjs: do not edit. */
${compiled.map(({ text }) => text).join('')}
static const struct machine_text MACHINES[] = {
${compiled.map(({ row }) => row).join('\n')}
};
`,
    );
  } finally {
    await close();
  }
}

/** Compiles the machines unless their texts, the manifests and the compiler are unchanged. */
export const buildMachines = () =>
  buildIfStale({
    name: 'machines',
    inputs: [...FOLDERS, ...COMPILER, 'scripts/machines.mjs'],
    outputs: [MACHINES],
    make: () => writeAtomically(MACHINES, write),
  });

await runIfMain(import.meta.url, buildMachines);
