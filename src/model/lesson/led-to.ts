/** How far a lesson has led the reader into a run: a question must be asked before its answer has been seen. */
import { type Checked, inMicroseconds } from './check-context';
import type { Inline, Question } from './lesson';
import { timesIn } from './lesson-times';
import { decidedPs } from './moment';

interface Seen {
  readonly timePs: number;
  /** What has shown the run up to there, for a message. */
  readonly by: string;
}

/** The furthest that the texts and questions so far have led into each run, by its settings; null for the initial run. */
export class LedTo {
  readonly #seen = new Map<string | null, Seen>();

  #add(set: string | null, timePs: number, by: string): void {
    if (timePs > (this.#seen.get(set)?.timePs ?? -1)) this.#seen.set(set, { timePs, by });
  }

  /** Links in prose lead into the initial run. */
  read(inlines: readonly Inline[]): void {
    for (const timePs of timesIn(inlines))
      this.#add(null, timePs, `a link to ${inMicroseconds(timePs)}`);
  }

  /** A scene leads to its time. */
  show(timePs: number): void {
    this.#add(null, timePs, `the scene at ${inMicroseconds(timePs)}`);
  }

  /** Reports a question whose answer has been shown, and notes what its own answer shows. */
  async ask(question: Question, line: number, { machine, run, tell }: Checked): Promise<void> {
    const { counters, endPs, find } = run;
    const timePs = await decidedPs(question, { machine, counters, endPs, find });
    const seen = this.#seen.get(question.set);
    if (seen && seen.timePs >= timePs)
      tell(
        line,
        `The answer is seen at ${inMicroseconds(timePs)}, and ${seen.by} has shown the run up to ${inMicroseconds(seen.timePs)}: ask before that, give an earlier place of the evidence after "@" there or a later one here, or ask about another run ("+").`,
      );
    this.#add(question.set, timePs, `the answer to ${question.id}`);
    for (const time of timesIn(question.because))
      this.#add(question.set, time, `a link to ${inMicroseconds(time)}`);
  }
}
