/**
 * The front matter of a lesson's file, so that the file can be opened without its scenario:
 *
 *     ---
 *     scenario: start/bus
 *     ---
 *
 *     # What a bus is
 */
import { quote } from '../../base/suggest';

export interface Front {
  /** Number of its lines; 0 without front matter. */
  readonly lines: number;
  /** The scenario that the lesson belongs to; null if none is named. */
  readonly scenario: string | null;
  /** The first line that says nothing about the lesson, from 1. */
  readonly wrong: { readonly line: number; readonly message: string } | null;
}

const NONE: Front = { lines: 0, scenario: null, wrong: null };
const FENCE = /^---\s*$/;
const SCENARIO = /^scenario:\s*(\S+)\s*$/;

/** The front matter at the top of a text. */
export function frontOf(text: string): Front {
  const lines = text.split(/\r?\n/);
  const end = FENCE.test(lines[0] ?? '')
    ? lines.findIndex((line, at) => at > 0 && FENCE.test(line))
    : -1;
  if (end < 0) return NONE;
  const inside = lines.slice(1, end);
  const odd = inside.findIndex((line) => line.trim() !== '' && !SCENARIO.test(line));
  const scenario = inside.flatMap((line) => SCENARIO.exec(line)?.[1] ?? []).at(-1) ?? null;
  const message = `Front matter has one line, "scenario: ID", not ${quote(inside[odd] ?? '')}.`;
  return { lines: end + 1, scenario, wrong: odd < 0 ? null : { line: odd + 2, message } };
}

/** A lesson's text without front matter. */
export const withoutFront = (text: string): string =>
  text.split(/\r?\n/).slice(frontOf(text).lines).join('\n').trimStart();

/** A lesson's text with the front matter that names its scenario. */
export const withFront = (text: string, scenario: string): string =>
  `---\nscenario: ${scenario}\n---\n\n${text}`;
