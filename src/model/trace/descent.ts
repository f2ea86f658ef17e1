/** Which records of a run descend from wanted ones. */
import type { Trace } from './trace';

export type EventTest = (trace: Trace, seq: number) => boolean;

/** Records of one stretch of the memory. */
const PAGE = 1 << 16;

/** Memory of a run's records: which have a wanted event among their causes or are one. */
export class Descent {
  private readonly known: Uint8Array[] = [];

  constructor(private readonly isWanted: EventTest) {}

  /** Whether a cause of a record is wanted, or has such a cause. */
  readonly test: EventTest = (trace, seq) => {
    const cause = trace.causeOf(seq);
    return cause > 0 && cause < seq && this.isOf(trace, cause);
  };

  isOf(trace: Trace, seq: number): boolean {
    const path: number[] = [];
    let at = seq;
    while (at > 0 && this.read(at) === 0 && trace.has(at)) {
      path.push(at);
      if (this.isWanted(trace, at)) break;
      const cause = trace.causeOf(at);
      at = cause < at ? cause : 0;
    }
    const isFound = at > 0 && (at === path.at(-1) || this.read(at) === 2);
    for (const one of path) this.write(one, isFound ? 2 : 1);
    return isFound;
  }

  private read(seq: number): number {
    return this.known[Math.floor(seq / PAGE)]?.[seq % PAGE] ?? 0;
  }

  private write(seq: number, value: number): void {
    const at = Math.floor(seq / PAGE);
    this.known[at] ??= new Uint8Array(PAGE);
    this.known[at][seq % PAGE] = value;
  }
}
