/** Errors that are shown to the user as messages. */
import { lineOf, type Problem } from '../model/scenario/problems';

/** Bad input: exit code 2. */
export class Refusal extends Error {
  override name = 'Refusal';
}

/** Formats a problem: one of the command line names its option, any other its position in the file. */
function problemText(found: Problem): string {
  const [, kind = '', name = ''] = /^\/(edits|variables)\/(.*)$/.exec(found.pointer) ?? [];
  if (found.line > 0 || !kind) return lineOf(found);
  return `--${kind === 'edits' ? 'set' : 'var'} ${name}: ${found.message}`;
}

/** Maximum number of problems printed: more would scroll the first ones away. */
const MAX_LINES = 20;

/** Problems as lines, without duplicates. */
export function refusalOf(problems: readonly Problem[]): Refusal {
  const lines = [...new Set(problems.map(problemText))];
  const more =
    lines.length > MAX_LINES ? [`There are ${lines.length - MAX_LINES} further problems.`] : [];
  return new Refusal([...lines.slice(0, MAX_LINES), ...more].join('\n'));
}
