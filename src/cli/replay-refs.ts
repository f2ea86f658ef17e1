/** `busyard replay-refs`: plays a recorded trace of memory references through the cache models of the machines. */

import { hint, quote } from '../base/suggest';
import { inlineChecks } from '../engine/engine-code-inline';
import {
  CACHE_SETTINGS,
  type CacheReport,
  type CacheSetting,
  type CacheShape,
  MAX_CPUS,
  type ReferenceReport,
  ReferenceTraceError,
  replayReferences,
} from '../model/coherence/reference-trace';
import { fileCommand, JSON_OPTION } from './arguments';
import { withBytes } from './files';
import { pairs } from './input';
import { count, write, writeJson } from './output';
import { Refusal } from './refusal';

const SPEC = {
  name: 'replay-refs',
  summary:
    "Plays a trace of references (din, or Valgrind's lackey) through the caches: hits, misses, write-backs.",
  takes: ['<FILE>', 'the trace'],
  options: {
    json: JSON_OPTION,
    set: {
      value: 'cache.param=value',
      many: true,
      help: 'change the caches, such as cache.size=64KiB',
    },
    cpus: { value: 'number', help: 'processors, each with a cache; default: 1' },
  },
} as const;

const isSetting = (name: string): name is CacheSetting =>
  (CACHE_SETTINGS as readonly string[]).includes(name);

function paramsFrom(written: readonly string[]): CacheShape['params'] {
  return Object.fromEntries(
    pairs('--set', written, (name) => name.replace(/^cache\./, '')).map(([name, value]) => {
      if (isSetting(name)) return [name, value];
      throw new Refusal(
        `--set: the caches have no ${quote(name)} to set here${hint(name, CACHE_SETTINGS)}`,
      );
    }),
  );
}

function cpusFrom(text: string): number {
  const cpus = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (cpus >= 1 && cpus <= MAX_CPUS) return cpus;
  throw new Refusal(`--cpus: There are 1 to ${MAX_CPUS} processors, not ${quote(text)}.`);
}

function cacheText(report: CacheReport): string {
  const { hits, misses, write_backs, copies, states } = report;
  const share = hits + misses > 0 ? `${((100 * hits) / (hits + misses)).toFixed(2)} %` : 'none';
  const lines = Object.entries(states).map(([name, n]) => `${name.replace('_', ' ')} ${n}`);
  return `${count(hits, 'hit')} (${share}), ${count(misses, 'miss', 'misses')}, ${count(write_backs, 'write-back')}, ${count(copies, 'copy', 'copies')} to other caches; lines: ${lines.join(', ')}`;
}

function reportLines(report: ReferenceReport, seconds: number): string[] {
  const rate = (report.references / Math.max(seconds, 1e-6) / 1e6).toFixed(1);
  const { references, loads, stores, instructions, caches, remarks } = report;
  return [
    `${count(references, 'reference')} (${count(loads, 'load')}, ${count(stores, 'store')}) in ${seconds.toFixed(2)} s, ${rate} million per second; ${count(instructions, 'instruction fetch', 'instruction fetches')} left out\n`,
    `  ${cacheText(report)}\n`,
    ...(caches.length > 1 ? caches.map((one, i) => `  cache ${i}: ${cacheText(one)}\n`) : []),
    ...remarks.map((note) => `${note}\n`),
  ];
}

export const replayRefs = fileCommand(SPEC, async (values, file) => {
  const shape = { cpus: cpusFrom(values.cpus ?? '1'), params: paramsFrom(values.set ?? []) };
  const module = await inlineChecks();
  await withBytes(file, async (source) => {
    const began = performance.now();
    try {
      const report = replayReferences(module, shape, source);
      const seconds = (performance.now() - began) / 1000;
      if (values.json) await writeJson({ file, ...report, seconds });
      else await write(reportLines(report, seconds));
    } catch (error) {
      if (!(error instanceof ReferenceTraceError)) throw error;
      const place = error.line > 0 ? `${file}:${error.line}:${error.column}` : '--set';
      throw new Refusal(`${place}: ${error.sentence}`);
    }
  });
  return 0;
});
