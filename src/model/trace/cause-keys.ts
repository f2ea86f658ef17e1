/**
 * Names records by what caused them: the row, call, task or transfer at the end of their causal chain, and which one
 * of its kind. Runs that do different things between may be compared by these names.
 */
import type { EventSpec } from '../../engine/manifest';
import type { TracedMachine } from './event-text';
import { beginsOperation } from './operations';
import type { Slot } from './rows';
import type { Trace } from './trace';

type Records = Pick<Trace, 'first' | 'last' | 'record'>;

/** What begins at a record. */
interface Beginning {
  /** Fields that tell it from others of its kind, such as the number of the row. */
  readonly slots: readonly Slot[];
  /** A program counts its rows itself; what else begins is counted within its own cause. */
  readonly isRow: boolean;
}

/** Names of causes as small numbers, the same for equal names; runs that are compared share them. */
export class CauseNames {
  private readonly numbers = new Map<string, number>();
  private readonly beginnings: ReadonlyMap<number, Beginning>[];

  constructor({ parts }: TracedMachine) {
    this.beginnings = parts.map(({ type }) => {
      const of = (event: EventSpec): [number, Beginning][] => {
        const fields = beginsOperation(type.name, event.name);
        if (!fields) return [];
        const slots = event.fields.filter(({ name }) => fields.includes(name));
        const isRow = type.name === 'processor';
        return [[event.kind, { isRow, slots: slots.map(({ slot }) => slot as Slot) }]];
      };
      return new Map(type.events.flatMap(of));
    });
  }

  beginning(part: number, kind: number): Beginning | undefined {
    return this.beginnings[part]?.get(kind);
  }

  numberOf(name: string): number {
    const known = this.numbers.get(name);
    if (known !== undefined) return known;
    this.numbers.set(name, this.numbers.size + 1);
    return this.numbers.size;
  }
}

/** In place of a cause and a kind: a row begins in different ways by what it does. */
const ROW = 'row';

/** Records per slice, after which the page may draw. */
const SLICE = 4096;

/** For each record of a run, by its sequence number, the number of its cause; 0 for none. */
export class Causes {
  private readonly causes: Uint32Array;
  private readonly counted = new Map<string, number>();
  private next: number;

  constructor(
    private readonly records: Records,
    private readonly names: CauseNames,
  ) {
    this.causes = new Uint32Array(Math.max(0, records.last - records.first + 1));
    this.next = records.first;
  }

  /** Reads records up to one, and gives the number of its cause. */
  of(seq: number): number {
    while (this.next <= seq) this.take(this.next++);
    return this.causes[seq - this.records.first] ?? 0;
  }

  /** Equal in two runs for the same kind of event of the same cause. */
  keyOf(seq: number): string {
    const record = this.records.record(seq);
    return `${this.of(seq)} ${record?.part} ${record?.kind}`;
  }

  /** Reads all records, a slice at a time. */
  async readAll(breathe: () => Promise<unknown>): Promise<void> {
    while (this.next <= this.records.last) {
      this.take(this.next++);
      if (this.next % SLICE === 0) await breathe();
    }
  }

  private take(seq: number): void {
    const record = this.records.record(seq);
    if (!record) return;
    const { first } = this.records;
    const above =
      record.cause >= first && record.cause < seq ? this.causes[record.cause - first] : 0;
    const begins = this.names.beginning(record.part, record.kind);
    if (!begins) {
      this.causes[seq - first] = above ?? 0;
      return;
    }
    const own = begins.slots.map((slot) => record[slot]).join(',');
    const kind = `${begins.isRow ? ROW : `${above} ${record.kind}`} ${record.part} ${own}`;
    const nth = (this.counted.get(kind) ?? 0) + 1;
    this.counted.set(kind, nth);
    this.causes[seq - first] = this.names.numberOf(`${kind} ${nth}`);
  }
}
