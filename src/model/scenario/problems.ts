import type { Steps } from '../../base/tasks';

/**
 * Why a file, a link or an edit was refused: the violated rule and its position. Functions that read user input
 * return a Result and never throw.
 */
export interface Problem {
  /** File name; '' if there is none. */
  readonly file: string;
  /** JSON pointer of the faulty value; '' is the whole file. */
  readonly pointer: string;
  /** Starts at 1; 0 if there is no text. */
  readonly line: number;
  readonly column: number;
  /** One sentence: the violated rule. */
  readonly message: string;
}

export type Result<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** Reports a problem. Does not return once there are too many to be useful. */
export type Report = (problem: Problem) => void;

/** More would not help to repair a file, and formatting them takes time. */
const MAX_PROBLEMS = 20;

/** Collects problems up to the limit; then `report` throws. */
class Findings {
  private readonly problems: Problem[] = [];
  /** Made when it is thrown: an error notes where it was made, which takes as long as a small compilation. */
  private enough: Error | null = null;

  readonly report: Report = (found) => {
    this.problems.push(found);
    if (this.problems.length < MAX_PROBLEMS) return;
    this.enough = new Error('There are problems enough.');
    throw this.enough;
  };

  of<T>(value: T): Result<T> {
    return this.problems.length === 0 ? success(value) : failure(this.problems);
  }

  after(error: unknown): Result<never> {
    if (this.enough === null || error !== this.enough) throw error;
    return failure(this.problems);
  }
}

/** Runs `work` and returns its result, or the problems that it reported. */
export function gather<T>(work: (report: Report) => T): Result<T> {
  const found = new Findings();
  try {
    return found.of(work(found.report));
  } catch (error) {
    return found.after(error);
  }
}

/** The same for a cooperative task. */
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

/** A problem without a text: an edit, a link, a missing file. */
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
