/** Which records of a run descend from wanted ones. */
import type { Rows, RowTest } from './rows';

/** Records of one stretch of the memory. */
const PAGE = 1 << 16;

const [UNKNOWN, NO, YES] = [0, 1, 2];

/** Memory of a run's records: which have a wanted event among their causes or are one. */
export class Descent {
  private readonly known: Uint8Array[] = [];

  constructor(private readonly isWanted: RowTest) {}

  /** Whether a cause of a record is wanted, or has such a cause. */
  readonly test: RowTest = (rows, seq) => {
    const cause = rows.causeOf(seq);
    return cause > 0 && cause < seq && this.isOf(rows, cause);
  };

  isOf(rows: Rows, seq: number): boolean {
    const known = this.read(seq);
    if (known !== UNKNOWN) return known === YES;
    // In order of the run the cause is known.
    const cause = rows.causeOf(seq);
    const before = cause > 0 && cause < seq ? this.read(cause) : NO;
    if (before === UNKNOWN || !rows.has(seq)) return this.follow(rows, seq);
    const isFound = before === YES || this.isWanted(rows, seq);
    this.write(seq, isFound ? YES : NO);
    return isFound;
  }

  private follow(rows: Rows, seq: number): boolean {
    const path: number[] = [];
    let at = seq;
    let isFound = false;
    while (at > 0) {
      const known = this.read(at);
      isFound = known === YES;
      if (known !== UNKNOWN || !rows.has(at)) break;
      path.push(at);
      isFound = this.isWanted(rows, at);
      if (isFound) break;
      const cause = rows.causeOf(at);
      at = cause < at ? cause : 0;
    }
    for (const one of path) this.write(one, isFound ? YES : NO);
    return isFound;
  }

  private read(seq: number): number {
    return this.known[seq >>> 16]?.[seq & (PAGE - 1)] ?? UNKNOWN;
  }

  private write(seq: number, value: number): void {
    const at = seq >>> 16;
    this.known[at] ??= new Uint8Array(PAGE);
    this.known[at][seq & (PAGE - 1)] = value;
  }
}
