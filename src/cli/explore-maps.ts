/**
 * `busyard explore-maps`: explores lazy flush in every order of events. Exit code 1 if a rule known to hold fails,
 * or one known to fail holds.
 */

import { hint, quote } from '../base/suggest';
import { inlineChecks } from '../engine/engine-code-inline';
import { MAP_PROOFS, type MapProofReport, proveMap } from '../model/verify/pool-proofs';
import { command, JSON_OPTION } from './arguments';
import { write, writeJson } from './output';
import { Refusal } from './refusal';

const SPEC = {
  name: 'explore-maps',
  summary:
    'Explores every order of map, use and unmap for rules of lazy flush; prints the shortest path to a stale use.',
  takes: ['[RULE...]', MAP_PROOFS.map(({ name }) => name).join(', ')],
  options: {
    json: JSON_OPTION,
    threads: { value: 'number', help: 'threads; default: 3' },
    entries: { value: 'number', help: 'entries of each of two pools; default: 3' },
    pages: { value: 'number', help: 'maximum entries of a request; default: 1' },
  },
} as const;

function size(option: string, text: string | undefined, most: number, usual = 3): number {
  const value = text === undefined ? usual : /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (value >= 1 && value <= most) return value;
  throw new Refusal(
    `--${option}: A whole number from 1 to ${most} is expected, not ${quote(text)}.`,
  );
}

function text(report: MapProofReport): string {
  const { config, title, states, transitions, depth, complete, violations } = report;
  const end = violations[0]
    ? `BROKEN after ${violations[0].steps.length} steps`
    : complete
      ? 'holds in every order'
      : 'not complete';
  const way = violations.flatMap(({ steps }) => steps.map((step, i) => `  ${i + 1}. ${step}\n`));
  return `${config} (${title}): ${end}; ${states} states, ${transitions} transitions, depth ${depth}\n${way.join('')}`;
}

export const exploreMaps = command(SPEC, async (values, files) => {
  const threads = size('threads', values.threads, 3);
  const entries = size('entries', values.entries, 4);
  const pages = size('pages', values.pages, entries, 1);
  const names = MAP_PROOFS.map(({ name }) => name);
  const proofs = (files.length > 0 ? files : names).map((name) => {
    const found = MAP_PROOFS.find((proof) => proof.name === name);
    if (found) return found;
    throw new Refusal(`There is no configuration ${quote(name)}${hint(name, names)}`);
  });
  const module = await inlineChecks();
  const reports = proofs.map((proof) => proveMap(module, proof, { threads, entries, pages }));
  if (values.json) await writeJson(reports);
  else await write(reports.map(text));
  const asKnown = proofs.every(({ holds }, i) => {
    const report = reports[i];
    return holds ? report?.complete : (report?.violations.length ?? 0) > 0;
  });
  return asKnown ? 0 : 1;
});
