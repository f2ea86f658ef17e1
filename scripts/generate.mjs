/**
 * Manifests, protocols and register maps -> C headers and TypeScript. Each part is declared once, in
 * <part>.json beside its code, each protocol once, in wasm/protocols, each register map once, in
 * wasm/registers, and the interface of engine and hosts once, in wasm/abi.json; this script writes
 * wasm/gen/*.h and src/engine/gen/*.ts from them. Files are rewritten only when their content changes, so
 * dependent builds stay quick.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { abiHeader, abiTs, readAbi } from './generate/abi.mjs';
import { layoutHeader, layoutTs } from './generate/layout.mjs';
import { layoutHash } from './generate/layout-hash.mjs';
import { readManifests } from './generate/manifests.mjs';
import { namesTs } from './generate/names.mjs';
import {
  checkEnumNames,
  constantsTs,
  messagesTs,
  protocolsHeader,
  protocolsTs,
  readProtocols,
} from './generate/protocols.mjs';
import { readRegisters, registersHeader, registersTs } from './generate/registers.mjs';
import { callsHeader, contextsHeader, eventsHeader, registryHeader } from './generate/registry.mjs';
import { root, runIfMain } from './lib.mjs';

function write(path, text) {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return;
  writeFileSync(file, text);
  console.error(`wrote ${path}`);
}

function main() {
  const abi = readAbi(root);
  const registers = readRegisters(root);
  const protocols = readProtocols(root);
  const parts = readManifests(root, abi, registers, protocols);
  checkEnumNames(protocols, parts, abi);
  const hash = layoutHash({ parts, protocols, registers, abi });
  write('wasm/gen/abi.h', abiHeader(abi));
  write('src/engine/gen/abi.ts', abiTs(abi));
  write('wasm/gen/layout.h', layoutHeader(parts, hash));
  write('wasm/gen/contexts.h', contextsHeader(parts));
  write('wasm/gen/protocols.h', protocolsHeader(protocols));
  write('wasm/gen/registry.h', registryHeader(parts, protocols));
  write('wasm/gen/calls.h', callsHeader(parts, protocols));
  write('wasm/gen/events.h', eventsHeader(parts));
  write('src/engine/gen/layout.ts', layoutTs(parts, protocols, hash));
  write('wasm/gen/registers.h', registersHeader(registers));
  write('src/engine/gen/names.ts', namesTs(parts, protocols));
  write('src/engine/gen/registers.ts', registersTs(registers));
  write('src/engine/gen/messages.ts', messagesTs(protocols));
  write('src/engine/gen/protocols.ts', protocolsTs(protocols));
  write('src/engine/gen/constants.ts', constantsTs(protocols));
}

await runIfMain(import.meta.url, main);
