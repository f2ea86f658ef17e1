// Builds what is measured, and opens the two places it is measured in: this process and a browser.
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { chromium } from 'playwright-core';
import { createServer } from 'vite';
import { buildPage } from '../scripts/build.mjs';
import { buildIfStale, must, root, writeAtomically } from '../scripts/lib.mjs';
import { buildNative } from '../scripts/native.mjs';
import { buildWasm } from '../scripts/wasm.mjs';

const execute = promisify(execFile);
const FOLDER = 'build/bench';
const SOURCE = 'bench/limit.c';
const LIMIT = { native: `${FOLDER}/limit`, wasm: `${FOLDER}/limit.wasm` };
const WASM = ['-std=c11', '-O3', '-sSTANDALONE_WASM', '--no-entry'];

const kernel = (output, compiler, flags, source = SOURCE, libraries = []) =>
  buildIfStale({
    name: output.replaceAll('/', '-'),
    inputs: [source],
    recipe: [...flags, ...libraries].join(' '),
    outputs: [output],
    make: () =>
      writeAtomically(output, (path) =>
        must(`${source} did not compile.`, compiler, [...flags, source, '-o', path, ...libraries]),
      ),
  });

/** SystemC, where it is installed: Debian's package libsystemc-dev, or what SYSTEMC_HOME names. */
const SYSTEMC = process.env.SYSTEMC_HOME ?? '/usr';
const PEER = `${FOLDER}/peer`;
const LIBRARIES = `${SYSTEMC}/lib/x86_64-linux-gnu`;
export const hasPeer = existsSync(join(SYSTEMC, 'include/systemc.h'));

function buildPeer() {
  const flags = ['-std=c++17', '-DSC_CPLUSPLUS=201703L', '-O2', `-I${SYSTEMC}/include`];
  const libraries = [`-L${LIBRARIES}`, `-Wl,-rpath,${LIBRARIES}`, '-lsystemc'];
  return kernel(PEER, 'g++', flags, 'bench/peer.cpp', libraries);
}

/** Millions of transactions per second of bench/peer.cpp. */
export async function peerRun(milliseconds) {
  const { stdout } = await execute(join(root, PEER), [String(milliseconds)]);
  const { transactions, wall_ms } = JSON.parse(stdout.trimEnd().split('\n').at(-1));
  return transactions / wall_ms / 1000;
}

export async function build() {
  mkdirSync(join(root, FOLDER), { recursive: true });
  await buildWasm();
  await buildNative();
  await buildPage();
  await kernel(LIMIT.native, 'gcc', ['-std=gnu11', '-O2']);
  await kernel(LIMIT.wasm, 'emcc', WASM);
  if (hasPeer) await buildPeer();
}

export const limitBytes = () => readFileSync(join(root, LIMIT.wasm));

const json = async (program, args) => JSON.parse((await execute(join(root, program), args)).stdout);

/** Milliseconds of the limit kernel, native. */
export const nativeLimit = async (events) =>
  (await json(LIMIT.native, [String(events), '0'])).wall_ms;

const native = (args) => json('build/busyard-native', args);

/** Keeps bytes in a file of the bench. */
export function kept(name, bytes) {
  const file = join(root, FOLDER, name);
  writeFileSync(file, bytes);
  return file;
}

/** Millions of references a second of a trace in the native engine. */
export async function nativeReferences(session, trace) {
  const { references, seconds } = await native([session, '--play', trace]);
  return references / seconds / 1e6;
}

/** Thousands of states a second of an exploration in the native engine. */
export async function nativeExplored(session) {
  const { states, seconds } = await native([session, '--explore', '512']);
  return states / seconds / 1000;
}

/** Events and milliseconds of some sessions in the native engine, the trace off or on. */
export async function nativeRun(work, trace = '--no-trace') {
  const result = { events: 0, ms: 0 };
  for (const [i, { config, untilPs }] of work.entries()) {
    const file = kept(`${i}.bin`, config);
    const args = [file, trace, '--until', String(untilPs)].filter(Boolean);
    const { events, wall_ms } = await native(args);
    result.events += events;
    result.ms += wall_ms;
  }
  return result;
}

/** A Vite server that serves a tree's sources as modules, to Node and to the browser. */
export async function serve(tree = root) {
  const server = await createServer({
    root: tree,
    configFile: false,
    logLevel: 'error',
    optimizeDeps: { noDiscovery: true },
    server: { host: '127.0.0.1', port: 0, hmr: false, watch: null },
    appType: 'custom',
  });
  return server.listen();
}

/** Where the system keeps a program; undefined if it has none. */
const onPath = (name) =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path));

/** The system's Chromium. */
export function openBrowser() {
  const executablePath =
    process.env.BUSYARD_CHROMIUM ?? onPath('chromium') ?? onPath('chromium-headless-shell');
  return chromium.launch({
    ...(executablePath && { executablePath }),
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  });
}

/** A page in Chromium that has loaded bench/page.ts; `call` runs one of its functions. */
export async function openPage(browser, address) {
  const page = await browser.newPage();
  await page.route(`${address}blank`, (route) =>
    route.fulfill({ contentType: 'text/html', body: '<!doctype html>' }),
  );
  await page.goto(`${address}blank`);
  const call = (name, ...args) =>
    page.evaluate(
      async ([entry, name, args]) => (await import(entry))[name](...args),
      [`${address}bench/page.ts`, name, args],
    );
  return { call };
}
