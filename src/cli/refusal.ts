/** What ends the program with a sentence instead of a result. */
import { lineOf, type Problem } from '../model/problems';

/** Bad input: exit code 2. */
export class Refusal extends Error {
  constructor(
    message: string,
    readonly code = 2,
  ) {
    super(message);
    this.name = 'Refusal';
  }
}

export const refusalOf = (problems: readonly Problem[]): Refusal =>
  new Refusal(problems.map(lineOf).join('\n'));
