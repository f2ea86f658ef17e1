/**
 * Coherence events of a run, indexed incrementally: the pages transferred on the bus and their initiators, the
 * device that made each write, and every I/O TLB lookup by row.
 */
import type { EventField } from '../../engine/gen/names';
import type { EventSpec } from '../../engine/manifest';
import { portOwner } from '../trace/event-text';
import type { Trace } from '../trace/trace';
import { blockOf, type CoherentMachine, chainOf, PAGE_BYTES } from './coherence-roles';

export interface LookUp {
  readonly seq: number;
  readonly timePs: number;
  readonly block: number;
  readonly missed: boolean;
  /** Block whose valid translation the row held at the miss; null if none. */
  readonly held: number | null;
  /** Requesting part, if known. */
  readonly device: number | null;
  /** Misses of the row up to this one for a translation that was evicted from it before. */
  readonly returns: number;
  /** Time until the row was refilled after a miss; null if it was not. */
  refill: number | null;
}

/** The lookups of one row, and the blocks requested in it. */
interface LoggedRow {
  readonly lookUps: LookUp[];
  readonly blocks: Set<number>;
}

/** A page transferred on the bus: number of transfers and their initiators. */
export interface UsedPage {
  readonly address: number;
  /** Lowest address transferred. */
  lowest: number;
  count: number;
  readonly masters: Map<number, number>;
}

type Handler = (seq: number, record: NonNullable<ReturnType<Trace['record']>>) => void;
type Slot = 'a' | 'b' | 'c';

const EMPTY_ROW = 0xffffffff;
const slotOf = (event: EventSpec, field: EventField): Slot | null =>
  (event.fields.find(({ name }) => name === field)?.slot as Slot | undefined) ?? null;

export class CoherenceLog {
  readonly pages = new Map<number, UsedPage>();
  /** Device that made a write. */
  readonly makers = new Map<number, number>();
  private readonly rows = new Map<number, LoggedRow>();
  /** Records that cleared entries of the page directory, by I/O page. */
  private readonly cleared = new Map<number, number[]>();
  private readonly handlers = new Map<string, Handler>();
  private readonly kinds = new Set<number>();
  private next: number;
  private device: number | null = null;

  constructor(
    private readonly trace: Trace,
    private readonly coherent: CoherentMachine,
  ) {
    this.next = trace.first;
    coherent.machine.parts.forEach(({ type }, part) => {
      for (const event of type.events) this.handle(part, event);
    });
  }

  private handle(part: number, event: EventSpec): void {
    const handler =
      part === this.coherent.tlb?.part
        ? this.lookUps(event)
        : (this.entries(event) ?? this.transfers(part, event));
    if (!handler) return;
    this.handlers.set(`${part} ${event.kind}`, handler);
    this.kinds.add(event.kind);
  }

  /** Adapter events: the requesting device, and results of lookups. */
  private lookUps(event: EventSpec): Handler | null {
    const { tlb } = this.coherent;
    const device = slotOf(event, 'device');
    if (!tlb) return null;
    if (event.lane && device)
      return (_, record) => {
        this.device = tlb.device(record[device]);
      };
    if (!slotOf(event, 'chain')) return null;
    if (event.name === 'loaded')
      return (_, { a, timePs }) => {
        const last = this.rows.get(chainOf(tlb, a))?.lookUps.at(-1);
        if (last?.missed) last.refill = timePs - last.timePs;
      };
    if (event.name !== 'hit' && event.name !== 'miss') return null;
    const heldIn = slotOf(event, 'before');
    return (seq, record) => {
      const before = heldIn ? record[heldIn] : EMPTY_ROW;
      const held = before === EMPTY_ROW ? null : before;
      const { lookUps, blocks } = this.row(chainOf(tlb, record.a));
      const block = blockOf(tlb, record.a);
      const missed = event.name === 'miss';
      const isReturn = missed && held !== null && blocks.has(block);
      const returns = (lookUps.at(-1)?.returns ?? 0) + Number(isReturn);
      const { timePs } = record;
      lookUps.push({
        seq,
        timePs,
        block,
        missed,
        held,
        device: this.device,
        returns,
        refill: null,
      });
      blocks.add(block);
    };
  }

  /** Stores to the page directory. */
  private entries(event: EventSpec): Handler | null {
    const [entry, page] = [slotOf(event, 'entry'), slotOf(event, 'page')];
    if (event.name !== 'entry' || !entry || !page) return null;
    return (seq, record) => {
      if (record[entry] !== 0) return;
      const known = this.cleared.get(record[page]);
      if (known) known.push(seq);
      else this.cleared.set(record[page], [seq]);
    };
  }

  /** Starts of bus transactions in tracked memory, and writes by devices. */
  private transfers(part: number, event: EventSpec): Handler | null {
    const { machine, memory } = this.coherent;
    const [address, master, write] = (['address', 'master', 'write'] satisfies EventField[]).map(
      (name) => slotOf(event, name),
    );
    if (event.lane && address && master && memory)
      return (_, record) => {
        const at = record[address];
        if (at < memory.from || at >= memory.from + memory.bytes) return;
        this.use(at, portOwner(machine, part, record[master]));
      };
    if (event.name === 'write' && write) return (_, record) => this.makers.set(record[write], part);
    return null;
  }

  private use(address: number, master: number): void {
    const page = address - (address % PAGE_BYTES);
    const before = this.pages.get(page);
    const used = before ?? { address: page, lowest: address, count: 0, masters: new Map() };
    used.lowest = Math.min(used.lowest, address);
    used.count++;
    if (master >= 0) used.masters.set(master, (used.masters.get(master) ?? 0) + 1);
    this.pages.set(page, used);
  }

  private row(chain: number): LoggedRow {
    const row = this.rows.get(chain) ?? { lookUps: [], blocks: new Set() };
    this.rows.set(chain, row);
    return row;
  }

  /** Reads new records. */
  update(): this {
    const { trace, next } = this;
    for (const seq of trace.matching((event) => this.kinds.has(event.kind), next)) {
      const record = trace.record(seq);
      if (record) this.handlers.get(`${record.part} ${record.kind}`)?.(seq, record);
    }
    this.next = Math.max(next, trace.last + 1);
    return this;
  }

  /** Rows with at least one lookup. */
  chains(): number[] {
    return [...this.rows.keys()].sort((a, b) => a - b);
  }

  /** Number of lookups of a row up to a record. */
  private countTo(chain: number, seq: number): number {
    const row = this.rows.get(chain)?.lookUps ?? [];
    let [low, high] = [0, row.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((row[middle]?.seq ?? 0) <= seq) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The last lookup of a row up to a record. */
  lastTo(chain: number, seq: number): LookUp | null {
    return this.rows.get(chain)?.lookUps[this.countTo(chain, seq) - 1] ?? null;
  }

  /** Whether the entry of an I/O page was cleared between two records. */
  wasCleared(ioPage: number, from: number, to: number): boolean {
    return this.cleared.get(ioPage)?.some((seq) => seq > from && seq < to) ?? false;
  }

  /** Lookups of one row up to a record, oldest first. */
  lookUpsTo(chain: number, seq: number): readonly LookUp[] {
    return this.rows.get(chain)?.lookUps.slice(0, this.countTo(chain, seq)) ?? [];
  }
}

const logs = new WeakMap<Trace, CoherenceLog>();

/** The log of a trace, up to its present end. */
export function coherenceLog(trace: Trace, coherent: CoherentMachine): CoherenceLog {
  const log = logs.get(trace) ?? new CoherenceLog(trace, coherent);
  logs.set(trace, log);
  return log.update();
}
