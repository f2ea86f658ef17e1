/**
 * What is said when a file, a link or an edit is refused: which rule was broken, and where. Functions that
 * read what people wrote return a Result and never throw.
 */
export interface Problem {
  /** Name of the file, or '' where there is none. */
  readonly file: string;
  /** JSON pointer of the value at fault; '' is the whole file. */
  readonly pointer: string;
  /** From 1; 0 where there is no text to point into. */
  readonly line: number;
  readonly column: number;
  /** One sentence: the rule that was broken. */
  readonly message: string;
}

export type Result<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** Takes a problem down; beyond what helps anybody to mend a text it does not return. */
export type Report = (problem: Problem) => void;

/** More would not help anybody to repair a file, and wording them takes time. */
const MOST_PROBLEMS = 20;

/** What `work` makes; or the problems that it reports, of which the last that is told ends it. */
export function gather<T>(work: (report: Report) => T): Result<T> {
  const problems: Problem[] = [];
  const enough = new Error('There are problems enough.');
  const report: Report = (found) => {
    problems.push(found);
    if (problems.length >= MOST_PROBLEMS) throw enough;
  };
  try {
    const value = work(report);
    if (problems.length === 0) return success(value);
  } catch (error) {
    if (error !== enough) throw error;
  }
  return failure(problems);
}

export const success = <T>(value: T): Result<T> => ({ ok: true, value });

export const failure = (problems: readonly Problem[]): Result<never> => ({ ok: false, problems });

/** A problem that lies in no text: an edit, a link, a file that is missing. */
export const problem = (message: string, pointer = '', file = ''): Problem => ({
  file,
  pointer,
  line: 0,
  column: 0,
  message,
});

/** "line 12, column 7 (/machine/parts/cpu)" */
export function placeOf({ pointer, line, column }: Problem): string {
  const position = line > 0 ? `line ${line}, column ${column}` : '';
  if (!pointer) return position;
  return position ? `${position} (${pointer})` : pointer;
}

/** "gt/table.json:12:7: No part type "procesor"; did you mean "processor"? (/machine/parts/cpu/type)" */
export function lineOf(at: Problem): string {
  const position = at.line > 0 ? `:${at.line}:${at.column}` : '';
  const start = at.file || position ? `${at.file || 'text'}${position}: ` : '';
  return `${start}${at.message}${at.pointer ? ` (${at.pointer})` : ''}`;
}
