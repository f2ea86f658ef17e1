/**
 * Coherence events of a run, indexed incrementally: the pages transferred on the bus and their initiators, the
 * device that made each write, and every I/O TLB lookup by row.
 */
import type { EventField } from '../../engine/gen/names';
import type { EventSpec } from '../../engine/manifest';
import { portOwner } from '../trace/event-text';
import type { Trace } from '../trace/trace';
import { blockOf, type CoherentMachine, chainOf, PAGE_BYTES } from './coherence-roles';

/** A translation that a row lost to another. */
interface EvictedTranslation {
  readonly device: number | null;
  readonly block: number;
  /** Look-ups that it answered, the one that loaded it included. */
  readonly lookUps: number;
  /** From when it was loaded to the look-up that evicted it. */
  readonly agePs: number;
  /** Evicted by another device; where one is alone, by a block that the row had lost before. */
  readonly byRival: boolean;
}

export interface LookUp {
  readonly seq: number;
  readonly timePs: number;
  readonly chain: number;
  readonly block: number;
  readonly missed: boolean;
  /** Block whose valid translation the row held at the miss; null if none. */
  readonly held: number | null;
  /** Requesting part, if known. */
  readonly device: number | null;
  /** Misses of the row up to this one for a translation that was evicted from it before. */
  readonly returns: number;
  /** Look-ups that the translation has answered with this one. */
  readonly uses: number;
  readonly evicted: EvictedTranslation | null;
  /** Misses of all rows, up to this look-up. */
  readonly allMisses: number;
  /** Time until the row was refilled after a miss; null if it was not. */
  refill: number | null;
}

/** The lookups of one row, and the blocks requested in it. */
interface LoggedRow {
  readonly lookUps: LookUp[];
  readonly blocks: Set<number>;
  /** When the translation that it holds was loaded. */
  loadedPs: number;
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

/** How many look-ups of a list there were up to a record. */
function countTo(lookUps: readonly LookUp[], seq: number): number {
  let [low, high] = [0, lookUps.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((lookUps[middle]?.seq ?? 0) <= seq) low = middle + 1;
    else high = middle;
  }
  return low;
}

function append<Key>(lists: Map<Key, LookUp[]>, key: Key, lookUp: LookUp): void {
  const list = lists.get(key);
  if (list) list.push(lookUp);
  else lists.set(key, [lookUp]);
}

export class CoherenceLog {
  readonly pages = new Map<number, UsedPage>();
  /** Device that made a write. */
  readonly makers = new Map<number, number>();
  private readonly rows = new Map<number, LoggedRow>();
  /** The look-ups of all rows, in order. */
  private readonly all: LookUp[] = [];
  private readonly devices = new Set<number | null>();
  /** Look-ups at which each device lost a translation to a rival. */
  private readonly losses = new Map<number | null, LookUp[]>();
  /** The look-ups of each device. */
  private readonly requests = new Map<number | null, LookUp[]>();
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
        const row = this.rows.get(chainOf(tlb, a));
        const last = row?.lookUps.at(-1);
        if (!row || !last?.missed) return;
        last.refill = timePs - last.timePs;
        row.loadedPs = timePs;
      };
    if (event.name !== 'hit' && event.name !== 'miss') return null;
    const heldIn = slotOf(event, 'before');
    return (seq, record) => {
      const before = heldIn ? record[heldIn] : EMPTY_ROW;
      const held = before === EMPTY_ROW ? null : before;
      const chain = chainOf(tlb, record.a);
      const row = this.row(chain);
      const { lookUps, blocks } = row;
      const block = blockOf(tlb, record.a);
      const missed = event.name === 'miss';
      const isReturn = missed && held !== null && blocks.has(block);
      const last = lookUps.at(-1);
      const { timePs } = record;
      const { device } = this;
      this.devices.add(device);
      const evicted =
        missed && held !== null && last
          ? {
              device: last.device,
              block: held,
              lookUps: last.uses,
              agePs: timePs - row.loadedPs,
              byRival: last.device !== device || (isReturn && this.devices.size < 2),
            }
          : null;
      this.add(row, {
        seq,
        timePs,
        chain,
        block,
        missed,
        held,
        device,
        returns: (last?.returns ?? 0) + Number(isReturn),
        uses: missed ? 1 : (last?.uses ?? 0) + 1,
        evicted,
        allMisses: (this.all.at(-1)?.allMisses ?? 0) + Number(missed),
        refill: null,
      });
      row.loadedPs = missed ? timePs : row.loadedPs;
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
    const row = this.rows.get(chain) ?? { lookUps: [], blocks: new Set(), loadedPs: 0 };
    this.rows.set(chain, row);
    return row;
  }

  private add(row: LoggedRow, lookUp: LookUp): void {
    row.lookUps.push(lookUp);
    row.blocks.add(lookUp.block);
    this.all.push(lookUp);
    append(this.requests, lookUp.device, lookUp);
    if (lookUp.evicted?.byRival) append(this.losses, lookUp.evicted.device, lookUp);
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

  /** How many look-ups of all rows there were up to a record. */
  countTo(seq: number): number {
    return countTo(this.all, seq);
  }

  /** A look-up by its place among those of all rows, from 0. */
  lookUp(index: number): LookUp | null {
    return this.all[index] ?? null;
  }

  /** How often a device looked up a translation up to a record. */
  requestsTo(device: number | null, seq: number): number {
    return countTo(this.requests.get(device) ?? [], seq);
  }

  /** Translations that a device lost to rivals up to a record. */
  lossesTo(device: number | null, seq: number): number {
    return countTo(this.losses.get(device) ?? [], seq);
  }

  /** The last lookup of a row up to a record. */
  lastTo(chain: number, seq: number): LookUp | null {
    const row = this.rows.get(chain)?.lookUps ?? [];
    return row[countTo(row, seq) - 1] ?? null;
  }

  /** Whether the entry of an I/O page was cleared between two records. */
  wasCleared(ioPage: number, from: number, to: number): boolean {
    return this.cleared.get(ioPage)?.some((seq) => seq > from && seq < to) ?? false;
  }

  /** Lookups of one row up to a record, oldest first. */
  lookUpsTo(chain: number, seq: number): readonly LookUp[] {
    const row = this.rows.get(chain)?.lookUps ?? [];
    return row.slice(0, countTo(row, seq));
  }
}

const logs = new WeakMap<Trace, CoherenceLog>();

/** The log of a trace, up to its present end. */
export function coherenceLog(trace: Trace, coherent: CoherentMachine): CoherenceLog {
  const log = logs.get(trace) ?? new CoherenceLog(trace, coherent);
  logs.set(trace, log);
  return log.update();
}
