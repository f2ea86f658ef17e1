/** `busyard replay-refs`: a recorded trace of references through the same caches that machines have. */
import { inlineChecks } from '../engine/code-inline';
import {
  CACHE_SETTINGS,
  type CacheReport,
  type CacheSetting,
  type CacheShape,
  MAX_CPUS,
  type ReferenceReport,
  replayReferences,
  UnplayableTrace,
} from '../model/pools/references';
import { hint, quote } from '../model/scenario/suggest';
import { parseCommand } from './arguments';
import { withBytes } from './files';
import { write, writeJson } from './output';
import { Refusal } from './refusal';

const OPTIONS = {
  json: { type: 'boolean' },
  set: { type: 'string', multiple: true },
  cpus: { type: 'string' },
} as const;

const isSetting = (name: string): name is CacheSetting =>
  (CACHE_SETTINGS as readonly string[]).includes(name);

function paramsFrom(written: readonly string[]): CacheShape['params'] {
  return Object.fromEntries(
    written.map((text) => {
      const [name = '', value] = text.replace(/^cache\./, '').split('=');
      if (value === undefined)
        throw new Refusal(`--set: write "cache.size=64 KiB", not ${quote(text)}.`);
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

function inWords(report: CacheReport): string {
  const { hits, misses, write_backs, copies, states } = report;
  const share = hits + misses > 0 ? `${((100 * hits) / (hits + misses)).toFixed(2)} %` : 'none';
  const lines = Object.entries(states).map(([name, count]) => `${name.replace('_', ' ')} ${count}`);
  return `${hits} hits (${share}), ${misses} misses, ${write_backs} write-backs, ${copies} copies to other caches; lines: ${lines.join(', ')}`;
}

function told(report: ReferenceReport, seconds: number): string[] {
  const rate = (report.references / Math.max(seconds, 1e-6) / 1e6).toFixed(1);
  const { references, loads, stores, instructions, caches, remarks } = report;
  return [
    `${references} references (${loads} loads, ${stores} stores) in ${seconds.toFixed(2)} s, ${rate} million a second; ${instructions} instruction fetches left out\n`,
    `  ${inWords(report)}\n`,
    ...(caches.length > 1 ? caches.map((one, i) => `  cache ${i}: ${inWords(one)}\n`) : []),
    ...remarks.map((remark) => `${remark}\n`),
  ];
}

export async function replayRefs(args: readonly string[]): Promise<number> {
  const { values, file } = parseCommand('replay-refs', args, OPTIONS);
  const shape = { cpus: cpusFrom(values.cpus ?? '1'), params: paramsFrom(values.set ?? []) };
  const module = await inlineChecks();
  await withBytes(file, async (source) => {
    const began = performance.now();
    try {
      const report = replayReferences(module, shape, source);
      const seconds = (performance.now() - began) / 1000;
      if (values.json) await writeJson({ file, ...report, seconds });
      else await write(told(report, seconds));
    } catch (error) {
      if (!(error instanceof UnplayableTrace)) throw error;
      const place = error.line > 0 ? `${file}:${error.line}:${error.column}` : '--set';
      throw new Refusal(`${place}: ${error.sentence}`);
    }
  });
  return 0;
}
