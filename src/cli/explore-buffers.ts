/**
 * `busyard explore-buffers`: buffers and messages between an adapter and two processors in every order of their steps.
 * Exit code 1 if the protocol does not hold, or a defect is not noticed.
 */
import {
  exploreHandOver,
  HAND_OVERS,
  type HandOverReport,
  USUAL_HAND_OVER,
} from '../model/real-time/hand-over';
import { hint, quote } from '../model/scenario/suggest';
import { parseFiles } from './arguments';
import { write, writeJson } from './output';
import { Refusal } from './refusal';

const OPTIONS = {
  json: { type: 'boolean' },
  way: { type: 'boolean' },
  messages: { type: 'string' },
  buffers: { type: 'string' },
} as const;

function size(option: string, text: string | undefined, usual: number): number {
  const value = text === undefined ? usual : /^\d$/.test(text) ? Number(text) : 0;
  if (value >= 1 && value <= 4) return value;
  throw new Refusal(`--${option}: A whole number from 1 to 4 is wanted, not ${quote(text)}.`);
}

function text(report: HandOverReport, way: boolean): string {
  const { name, title, states, transitions, depth, broken } = report;
  const end = broken
    ? `BROKEN after ${broken.steps.length} steps: ${broken.rule}`
    : 'holds in every order';
  const steps = way ? (broken?.steps ?? []) : [];
  const told = steps.map((step, i) => `  ${i + 1}. ${step}\n`).join('');
  return `${name} (${title}): ${end}; ${states} states, ${transitions} transitions, depth ${depth}\n${told}`;
}

export async function exploreBuffers(args: readonly string[]): Promise<number> {
  const { values, files } = parseFiles('explore-buffers', args, OPTIONS);
  const messages = size('messages', values.messages, USUAL_HAND_OVER.messages);
  const buffers = size('buffers', values.buffers, USUAL_HAND_OVER.buffers);
  const names = HAND_OVERS.map(({ name }) => name);
  const wanted = (files.length > 0 ? files : names).map((name) => {
    const found = HAND_OVERS.find((one) => one.name === name);
    if (found) return found;
    throw new Refusal(`There is no configuration ${quote(name)}${hint(name, names)}`);
  });
  const reports = wanted.map(({ name }) => exploreHandOver(name, { messages, buffers }));
  if (values.json) await writeJson(reports);
  else await write(reports.map((report) => text(report, values.way ?? false)));
  return wanted.every(({ holds }, i) => holds === (reports[i]?.broken === null)) ? 0 : 1;
}
