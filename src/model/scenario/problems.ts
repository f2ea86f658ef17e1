import type { Steps } from '../../base/tasks';

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

/** Records a problem; does not return once there are too many to be useful. */
export type Report = (problem: Problem) => void;

/** More would not help to repair a file, and wording them takes time. */
const MAX_PROBLEMS = 20;

/** Takes problems down until there are enough: then the report does not return. */
class Findings {
  private readonly problems: Problem[] = [];
  private readonly enough = new Error('There are problems enough.');

  readonly report: Report = (found) => {
    this.problems.push(found);
    if (this.problems.length >= MAX_PROBLEMS) throw this.enough;
  };

  of<T>(value: T): Result<T> {
    return this.problems.length === 0 ? success(value) : failure(this.problems);
  }

  after(error: unknown): Result<never> {
    if (error !== this.enough) throw error;
    return failure(this.problems);
  }
}

/** What `work` makes; or the problems that it reports, of which the last that is told ends it. */
export function gather<T>(work: (report: Report) => T): Result<T> {
  const found = new Findings();
  try {
    return found.of(work(found.report));
  } catch (error) {
    return found.after(error);
  }
}

/** The same for work that stops now and then, so that its caller may let others have their turn. */
export function* gatherInSteps<T>(work: (report: Report) => Steps<T>): Steps<Result<T>> {
  const found = new Findings();
  try {
    return found.of(yield* work(found.report));
  } catch (error) {
    return found.after(error);
  }
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
