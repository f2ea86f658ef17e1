// The project's own configuration, except that tests load the engine from a folder at run time, because it
// changes between runs.
import { join } from 'node:path';
import { defineConfig, mergeConfig } from 'vitest/config';
import base from '../../vite.config.ts';
import { root } from '../lib.mjs';

const MARK = '\0mutant:';
const folder = join(root, process.env.BUSYARD_MODULES ?? 'build');

const modulesOfFolder = {
  name: 'modules-of-folder',
  enforce: 'pre',
  resolveId: (id) => {
    const found = /build\/(core|checks)\.wasm/.exec(id);
    return found && `${MARK}${found[1]}.wasm`;
  },
  load(id) {
    if (!id.startsWith(MARK)) return null;
    const path = JSON.stringify(join(folder, id.slice(MARK.length)));
    const log = JSON.stringify(join(folder, 'used-by.txt'));
    return `import { appendFileSync, readFileSync } from 'node:fs';
appendFileSync(${log}, globalThis.__vitest_worker__.filepath + '\\n');
export default 'data:application/wasm;base64,' + readFileSync(${path}, 'base64');`;
  },
};

export default defineConfig((env) => mergeConfig(base(env), { plugins: [modulesOfFolder] }));
