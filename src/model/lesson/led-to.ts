/** How far a lesson has led the reader into a run: a question must be asked before its answer has been seen. */
import { type Checked, inMicroseconds } from './check-context';
import { conditionAt } from './evidence';
import { exclusionPs } from './exclusion';
import type { Inline, Question } from './lesson';
import { timesIn } from './lesson-times';
import { decidedPs } from './moment';

interface Seen {
  readonly timePs: number;
  /** What has shown the run up to there, for a message. */
  readonly by: string;
}

/** Whether what a question counts never falls. What is counted now may still change, however far a reader has looked. */
function growsOnly({ options }: Question, { machine, run }: Pick<Checked, 'machine' | 'run'>) {
  const places = options.flatMap(({ when }) =>
    when.flatMap((condition) => conditionAt(machine, condition)?.place ?? []),
  );
  return places.every((at) =>
    run.samples.every((now, index) => (now[at] ?? 0) >= (run.samples[index - 1]?.[at] ?? 0)),
  );
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
    const asked = { machine, counters, endPs, find };
    const timePs = await decidedPs(question, asked);
    const seen = this.#seen.get(question.set);
    if (seen && seen.timePs >= timePs)
      tell(
        line,
        `The answer is seen at ${inMicroseconds(timePs)}, and ${seen.by} has shown the run up to ${inMicroseconds(seen.timePs)}: ask before that, give an earlier place of the evidence after "@" there or a later one here, or ask about another run ("+").`,
      );
    else if (seen && growsOnly(question, { machine, run })) {
      const excludedAt = await exclusionPs(question, asked);
      if (seen.timePs >= excludedAt)
        tell(
          line,
          `At ${inMicroseconds(excludedAt)} the run has counted more than one of the options allows, and ${seen.by} has shown it up to ${inMicroseconds(seen.timePs)}: ask before that, lead less far, or ask about another run ("+").`,
        );
    }
    this.#add(question.set, timePs, `the answer to ${question.id}`);
    for (const time of timesIn(question.because))
      this.#add(question.set, time, `a link to ${inMicroseconds(time)}`);
  }
}
