/** What ends the program with a sentence instead of a result. */
import { lineOf, type Problem } from '../model/scenario/problems';

/** Bad input: exit code 2. */
export class Refusal extends Error {
  override name = 'Refusal';
}

/** A problem of the command line names its option, any other its place in the file. */
function told(found: Problem): string {
  const [, kind = '', name = ''] = /^\/(edits|variables)\/(.*)$/.exec(found.pointer) ?? [];
  if (found.line > 0 || !kind) return lineOf(found);
  return `--${kind === 'edits' ? 'set' : 'var'} ${name}: ${found.message}`;
}

/** More would scroll the first away. */
const MOST = 20;

/** Problems as lines, each once. */
export function refusalOf(problems: readonly Problem[]): Refusal {
  const lines = [...new Set(problems.map(told))];
  const more = lines.length > MOST ? [`There are ${lines.length - MOST} further problems.`] : [];
  return new Refusal([...lines.slice(0, MOST), ...more].join('\n'));
}
