/**
 * Which part of memory a picture of lines shows while it follows the bus. Each stream of work has a bay, a window of
 * some columns on one page; the bay creeps with its line and stays where it is while another stream has the bus.
 *
 *     bay 0: page 0x100, lines 19 to 25 | bay 1: page 0x100, lines 33 to 39 | bay 2: page 0x108, lines 0 to 6
 *
 * All of it is a function of the events, in their order.
 */
import { clamp } from '../../base/geometry';
import { PAGE_LINES } from './coherence-roles';

interface Bay {
  /** First line in sight, counted over all of memory. */
  readonly first: number;
}

export interface BayView {
  readonly bays: readonly Bay[];
  /** Bay in which the event happens. */
  readonly active: number;
}

interface Followed {
  readonly line: number;
}

/** Events by which the streams are told apart, and over which a bay's use is counted. */
const OPENING = 96;
const RECENT = 24;

/** How far a line moves within a bay before the bay moves: the ring moves, the grid rarely. */
const slackOf = (columns: number): number => Math.max(1, ((columns - 1) >> 1) - 1);

/** Where a bay begins that has a line in its middle, within the line's page. */
function around(line: number, columns: number): number {
  return withinPage(line - ((columns - 1) >> 1), line, columns);
}

function withinPage(first: number, line: number, columns: number): number {
  const page = line - (line % PAGE_LINES);
  return clamp(first, page, page + PAGE_LINES - columns);
}

/** First lines of the streams that the beginning of a story has. */
export function streamsOf(events: readonly Followed[], within: number, most: number): number[] {
  const streams: { begin: number; line: number }[] = [];
  for (const { line } of events.slice(0, OPENING)) {
    const near = streams.find((stream) => Math.abs(stream.line - line) <= within);
    if (near) near.line = line;
    else if (streams.length < most) streams.push({ begin: line, line });
  }
  return streams.map(({ begin }) => begin).sort((a, b) => a - b);
}

export class LineBays {
  /** First lines of all bays after each event, bay by bay. */
  private readonly firsts: number[] = [];
  private readonly actives: number[] = [];
  /** Line that each bay is on. */
  private readonly lines: number[];
  private readonly slack: number;
  readonly count: number;
  private done = 0;

  constructor(
    private readonly events: readonly Followed[],
    readonly columns: number,
    private readonly begins: readonly number[],
  ) {
    this.lines = [...begins];
    this.count = begins.length;
    this.slack = slackOf(columns);
  }

  /** The bays as an event leaves them; before the first, as they will be. */
  at(index: number): BayView | null {
    this.follow(index);
    const { count } = this;
    if (count === 0) return null;
    if (index < 0)
      return {
        bays: this.begins.map((line) => ({ first: around(line, this.columns) })),
        active: -1,
      };
    const bays = this.firsts.slice(index * count, (index + 1) * count);
    return { bays: bays.map((first) => ({ first })), active: this.actives[index] as number };
  }

  private follow(index: number): void {
    for (; this.done <= index && this.done < this.events.length; this.done++) this.take(this.done);
  }

  private take(index: number): void {
    const { columns, count, firsts, lines } = this;
    const { line } = this.events[index] as Followed;
    const before = index > 0 ? firsts.slice(-count) : this.begins.map((at) => around(at, columns));
    const bay = this.bayOf(line, before);
    const first = before[bay] as number;
    const offset = line - (first + ((columns - 1) >> 1));
    const isNear = isSamePage(line, first) && Math.abs(line - (lines[bay] as number)) <= columns;
    const over = Math.abs(offset) - this.slack;
    if (!isNear) before[bay] = around(line, columns);
    else if (over > 0) before[bay] = withinPage(first + Math.sign(offset) * over, line, columns);
    lines[bay] = line;
    firsts.push(...before);
    this.actives.push(bay);
  }

  /** The bay that shows a line or is next to it; otherwise the one that was used least of late. */
  private bayOf(line: number, firsts: readonly number[]): number {
    const shows = firsts.findIndex((first) => line >= first && line < first + this.columns);
    if (shows >= 0) return shows;
    const near = this.lines.findIndex(
      (at, bay) => isSamePage(line, firsts[bay] ?? -1) && Math.abs(at - line) <= this.columns,
    );
    return near >= 0 ? near : this.leastUsed();
  }

  private leastUsed(): number {
    const recent = this.actives.slice(-RECENT);
    const uses = this.lines.map((_, bay) => recent.filter((one) => one === bay).length);
    const least = Math.min(...uses);
    const candidates = uses.flatMap((amount, bay) => (amount === least ? [bay] : []));
    const lastUse = (bay: number) => recent.lastIndexOf(bay);
    return candidates.reduce((best, bay) => (lastUse(bay) < lastUse(best) ? bay : best));
  }
}

const isSamePage = (a: number, b: number): boolean =>
  Math.floor(a / PAGE_LINES) === Math.floor(b / PAGE_LINES);
