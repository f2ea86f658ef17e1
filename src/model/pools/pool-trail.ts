/**
 * When each entry of a pooled table was handed out last, wherever the playhead is, also after it was given back: from the
 * record of the run. With it the wraps of each pool and the requests that spilled into another.
 */
import type { EventField } from '../../engine/gen/names';
import type { Trace } from '../trace/trace';

const SLICE = 20_000;
/** A larger table is kept in units of several entries. */
const MOST_UNITS = 1 << 18;
const PS_PER_MS = 1e9;

interface Handout {
  readonly timePs: number;
  readonly entry: number;
  readonly pages: number;
  readonly cpu: number;
  readonly spilled: boolean;
}

/** A request that found no room in a pool and went on to another. */
export interface Spill {
  readonly timePs: number;
  readonly from: number;
  readonly pool: number;
  readonly cpu: number;
}

export interface TrailGeometry {
  readonly entries: number;
  /** Bus address of entry 0, and bytes of an entry. */
  readonly base: number;
  readonly page: number;
}

/** The trail at a time. The arrays are reused. */
export interface TrailNow {
  /** Entries of a unit. */
  readonly unit: number;
  /** Time of the last handout of each unit in milliseconds; negative where there was none. */
  readonly lastMs: Float32Array;
  /** Whether that one spilled from another pool. */
  readonly spilled: Uint8Array;
  /** CPU that it was for, plus one. */
  readonly cpus: Uint8Array;
  readonly nowMs: number;
  /** Wraps of each pool: how many, and the time of the last in milliseconds. */
  wraps(pool: number): { readonly count: number; readonly lastMs: number };
  /** Spills of the last so many milliseconds, the newest first, one for each pair of pools. */
  spills(withinMs: number): readonly Spill[];
}

/** How many of a list have a time up to a limit. */
function countTo<T>(list: readonly T[], limit: number, timeOf: (one: T) => number): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (timeOf(list[middle] as T) <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

export class PoolTrail {
  private handouts: Handout[] = [];
  private allSpills: Spill[] = [];
  private readonly wrapped = new Map<number, number[]>();
  /** CPUs whose request under way has spilled. */
  private readonly spilling = new Set<number>();
  private readonly unit: number;
  private readonly lastMs: Float32Array;
  private readonly spilled: Uint8Array;
  private readonly cpus: Uint8Array;
  /** Handouts that the arrays contain. */
  private applied = 0;

  /** The oldest record that was read, and the one to read next. */
  private oldest: number;
  private next: number;

  constructor(
    private readonly trace: Trace,
    private readonly part: number,
    private readonly geometry: TrailGeometry,
  ) {
    this.oldest = this.next = trace.first;
    this.unit = Math.max(1, Math.ceil(geometry.entries / MOST_UNITS));
    const units = Math.ceil(geometry.entries / this.unit);
    this.lastMs = new Float32Array(units).fill(-1);
    this.spilled = new Uint8Array(units);
    this.cpus = new Uint8Array(units);
  }

  /**
   * Reads more records. What was read stays known when a long trace drops its oldest records.
   * @returns whether all records have been read
   */
  update(): boolean {
    const { trace } = this;
    if (trace.first < this.oldest || trace.last + 1 < this.next) this.restart();
    this.next = Math.max(this.next, trace.first);
    const end = Math.min(trace.last + 1, this.next + SLICE);
    for (; this.next < end; this.next++) this.take(this.next);
    return end > trace.last;
  }

  /** The trace has other records: an earlier stretch of a long run, or another end. */
  private restart(): void {
    this.oldest = this.next = this.trace.first;
    this.handouts = [];
    this.allSpills = [];
    this.wrapped.clear();
    this.spilling.clear();
    this.rewind();
  }

  private rewind(): void {
    this.lastMs.fill(-1);
    this.spilled.fill(0);
    this.applied = 0;
  }

  private take(seq: number): void {
    const event = this.trace.event(seq);
    if (event?.name !== 'map' && event?.name !== 'spill' && event?.name !== 'wrap') return;
    const record = this.trace.record(seq);
    if (record?.part !== this.part) return;
    const read = (field: EventField): number =>
      record[event.fields.find(({ name }) => name === field)?.slot as 'a' | 'b' | 'c'];
    const { timePs } = record;
    const cpu = read('cpu');
    if (event.name === 'wrap') {
      const times = this.wrapped.get(read('pool')) ?? [];
      times.push(timePs);
      this.wrapped.set(read('pool'), times);
    } else if (event.name === 'spill') {
      this.spilling.add(cpu);
      this.allSpills.push({ timePs, from: read('from'), pool: read('pool'), cpu });
    } else {
      const { base, page } = this.geometry;
      const entry = Math.floor((read('address') - base) / page);
      const spilled = this.spilling.delete(cpu);
      this.handouts.push({ timePs, entry, pages: read('pages'), cpu, spilled });
    }
  }

  private apply({ timePs, entry, pages, cpu, spilled }: Handout): void {
    const [first, last] = [
      Math.floor(entry / this.unit),
      Math.floor((entry + pages - 1) / this.unit),
    ];
    this.lastMs.fill(timePs / PS_PER_MS, first, last + 1);
    this.spilled.fill(spilled ? 1 : 0, first, last + 1);
    this.cpus.fill(cpu + 1, first, last + 1);
  }

  /** The trail at a time of the run. */
  at(timePs: number): TrailNow {
    const wanted = countTo(this.handouts, timePs, (one) => one.timePs);
    if (wanted < this.applied) this.rewind();
    for (; this.applied < wanted; this.applied++)
      this.apply(this.handouts[this.applied] as Handout);
    const { unit, lastMs, spilled, cpus, wrapped, allSpills } = this;
    return {
      unit,
      lastMs,
      spilled,
      cpus,
      nowMs: timePs / PS_PER_MS,
      wraps(pool) {
        const times = wrapped.get(pool) ?? [];
        const count = countTo(times, timePs, (time) => time);
        return { count, lastMs: (times[count - 1] ?? Number.NEGATIVE_INFINITY) / PS_PER_MS };
      },
      spills(withinMs) {
        const found = new Map<string, Spill>();
        const from = timePs - withinMs * PS_PER_MS;
        for (let at = countTo(allSpills, timePs, (one) => one.timePs) - 1; at >= 0; at--) {
          const spill = allSpills[at] as Spill;
          if (spill.timePs < from) break;
          const key = `${spill.from} ${spill.pool}`;
          if (!found.has(key)) found.set(key, spill);
        }
        return [...found.values()];
      },
    };
  }
}
