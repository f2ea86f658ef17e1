// A process that runs the TypeScript tests repeatedly, each time on the modules then in its folder, and
// reports failures. Started by suite.mjs, which sets BUSYARD_MODULES.
import { relative } from 'node:path';
import { createVitest } from 'vitest/node';
import { root } from '../lib.mjs';
import { kindOf } from './verdict.mjs';

process.env.VITEST = 'true'; // do not rebuild the modules
process.env.CI = '1'; // records are compared, never written

/** A trap after this many milliseconds is counted as an endless loop. */
const LONG = 20_000;

let found = [];
let ignored = new Set();
let stops = [];
let vitest;
const enough = () => found.some(({ kind }) => stops.includes(kind));
function note(path, test, tags, errors, took = 0) {
  const message = errors.map((error) => error.message).join('\n');
  const kind = kindOf(message, tags);
  const file = relative(root, path);
  if (ignored.has(`${file}: ${test}`)) return;
  const long = kind === 'trap' && took > LONG;
  found.push({ kind: long ? 'time-out' : kind, file, test, message: message.slice(0, 300) });
  if (enough()) vitest.cancelCurrentRun('test-failure');
}

const reporter = {
  onTestModuleStart: (module) => process.send({ file: relative(root, module.moduleId) }),
  onTestCaseResult(test) {
    const { state, errors = [] } = test.result();
    if (state === 'failed')
      note(
        test.module.moduleId,
        test.fullName,
        test.options.tags ?? [],
        errors,
        test.diagnostic()?.duration,
      );
  },
  onTestModuleEnd(module) {
    const errors = module.errors();
    if (errors.length > 0) note(module.moduleId, '(the file)', [], errors);
  },
  onTestSuiteResult(suite) {
    const errors = suite.errors();
    if (errors.length > 0) note(suite.module.moduleId, suite.fullName, [], errors);
  },
};

vitest = await createVitest('test', {
  ...{ config: 'scripts/mutate/vite.config.mjs', watch: false, reporters: [reporter] },
  ...{ maxWorkers: 1, testTimeout: 600_000, hookTimeout: 600_000 },
});
await vitest.standalone();
const specifications = await vitest.globTestSpecifications();
const named = new Map(specifications.map((one) => [relative(root, one.moduleId), one]));

process.on('message', async ({ files, names, ignore, stop }) => {
  const options = names ? { testNamePattern: new RegExp(names) } : {};
  found = [];
  ignored = new Set(ignore);
  stops = stop;
  const durations = {};
  for (const file of files) {
    const start = performance.now();
    const { project, moduleId } = named.get(file);
    await vitest.runTestSpecifications([project.createSpecification(moduleId, options)]);
    durations[file] = Math.round(performance.now() - start);
    if (enough()) break;
  }
  process.send({ found, durations });
});
process.send({ ready: [...named.keys()] });
