/**
 * The chain that decided the time of an operation: from its last record back along the causes to its beginning. Each
 * link is split where the parts at its ends change their states, so that the pieces have no gaps and add up to the time.
 *
 *     cause ────────────────── effect        the state that the cause began, else what the parts at the ends do
 *           |arbitration| data |             meanwhile, else what answered the cause
 */
import type { EventWord } from '../../engine/gen/names';
import type { TracedMachine } from './event-text';
import type { Span } from './lane';
import type { Operation } from './operations';
import type { Trace } from './trace';

export const REASONS = [
  'queue',
  'arbitration',
  'translation',
  'snoop',
  'data',
  'interrupt',
  'software',
  'device',
] as const;

/** What time was spent on. `device`: a device works on its own. */
export type Reason = (typeof REASONS)[number];

export interface Piece {
  readonly reason: Reason;
  /** Index of the part that the time belongs to. */
  readonly part: number;
  readonly from: number;
  readonly to: number;
  /** Record with which its link ends. */
  readonly seq: number;
  /** The state of the part; empty without one. */
  readonly state: string;
}

/** States by type of part, and what they spend time on. */
const STATES: Readonly<Record<string, Readonly<Partial<Record<Reason, string>>>>> = {
  processor: {
    queue: 'stall spin',
    translation: 'table',
    snoop: 'miss order',
    data: 'store load copy fill access carry',
    interrupt: 'interrupt',
    software:
      'idle work call switch wake api driver finish poll locked hypercall kernel stack serve protocol message decode',
  },
  bridge: { queue: 'empty posting' },
  pci: { data: 'read write read_line read_multiple completion write_invalidate' },
  pcix: { data: 'read write read_block write_block completion' },
  hsc: { queue: 'idle', data: 'read write data register answer', interrupt: 'interrupt' },
  memory_bus: { queue: 'idle', data: 'read write' },
  runway: {
    queue: 'nothing',
    snoop: 'read_shared read_private flush purge',
    data: 'write32 write16_purge write_back c2c_data read_noncoherent write_noncoherent short_read short_write short_return return',
  },
  memory_controller: { data: 'idle busy' },
  io_adapter: {
    queue: 'idle hold',
    translation: 'lookup fetch',
    data: 'read write',
    snoop: 'merge',
    interrupt: 'interrupt',
  },
  iommu: { queue: 'idle', translation: 'upper entry' },
  gt: { device: 'idle start', queue: 'ring', data: 'data' },
  dma_device: { device: 'idle pause', queue: 'send', data: 'wait' },
  bus_master: { device: 'idle', data: 'moving' },
  peer: { device: 'idle', data: 'data script' },
  pio_device: { device: 'empty', queue: 'waiting full' },
  network_link: { device: 'idle', data: 'frame' },
  net_adapter: { device: 'idle', data: 'sending' },
  lan_card: { device: 'idle work', data: 'descriptor data' },
  tcp_receiver: { device: 'idle protocol', data: 'copy' },
  ethernet: { device: 'idle gap', queue: 'held', data: 'frame fetch' },
  offload_engine: { device: 'idle protocol', queue: 'full', data: 'frame' },
  lba: { device: 'idle', data: 'fetching', queue: 'blocked' },
  pcix_bridge: { device: 'idle', data: 'fetching', queue: 'blocked' },
  hsc_pci: { device: 'idle', data: 'fetching' },
};

const byState = new Map<string, Reason>(
  Object.entries(STATES).flatMap(([type, reasons]) =>
    Object.entries(reasons).flatMap(([reason, names]) =>
      (names ?? '').split(' ').map((name) => [`${type}.${name}`, reason as Reason] as const),
    ),
  ),
);

/** What a state spends time on; undefined if it has not been said. */
export const reasonOfState = (type: string, state: string): Reason | undefined =>
  byState.get(`${type}.${state}`);

/** Without a state: by what the part is. */
const ACTOR_REASONS: Readonly<Record<string, Reason>> = {
  cpu: 'software',
  os: 'software',
  bus: 'queue',
  adapter: 'queue',
  mem: 'data',
};

/** Answers to the cause of a link, and what the time up to them was spent on. */
const ANSWERS: Readonly<Partial<Record<EventWord, Reason>>> = {
  response: 'snoop',
  access: 'data',
  miss: 'translation',
};

/** Events with which a bus is taken: the time before is the wait for it. */
const TAKES: readonly string[] = ['start'] satisfies EventWord[];

/** Records after a cause among which its answers are sought. */
const MOST_ANSWERS = 512;

export class CriticalPath {
  /** Pieces in order of time; empty until all causes have been followed. */
  readonly pieces: Piece[] = [];
  private readonly reversed: Piece[] = [];
  private at: number;
  private until: number;
  private isWhole = false;

  constructor(
    private readonly machine: TracedMachine,
    private readonly trace: Trace,
    private readonly operation: Operation,
  ) {
    this.at = operation.end;
    this.until = operation.to;
  }

  /** Follows some causes; false while there are more. */
  update(most = 2000): boolean {
    for (let link = 0; !this.isWhole; link++) {
      if (link === most) return false;
      this.follow();
    }
    return true;
  }

  private follow(): void {
    const { trace, at, operation } = this;
    const cause = trace.causeOf(at);
    const isKnown = cause > 0 && cause < at && trace.has(cause);
    const from = isKnown ? Math.max(operation.from, trace.timeOf(cause)) : operation.from;
    if (this.until > from) this.add(isKnown ? cause : null, from, this.until);
    this.until = from;
    this.at = cause;
    if (isKnown && from > operation.from) return;
    this.isWhole = true;
    this.pieces.push(...this.reversed.reverse());
  }

  /** The pieces of one link, the latest first. */
  private add(cause: number | null, from: number, to: number): void {
    const { trace, at } = this;
    const ends = [...new Set([cause === null ? -1 : trace.partOf(cause), trace.partOf(at)])];
    const spans = trace.lanes
      .filter(({ part }) => ends.includes(part))
      .flatMap((lane) => lane.between(from, to).map((span) => ({ span, part: lane.part })));
    const answers = cause === null ? [] : this.answersTo(cause, from, to);
    const cuts = new Set([from, to, ...answers.map(({ timePs }) => timePs)]);
    for (const { span } of spans)
      for (const cut of [span.from, span.to]) if (cut > from && cut < to) cuts.add(cut);
    const times = [...cuts].sort((a, b) => b - a);
    for (let i = 1; i < times.length; i++) {
      const [end = to, start = from] = [times[i - 1], times[i]];
      const now = spans.filter(({ span }) => span.from <= start && span.to > start);
      const answer = answers.find(({ timePs }) => timePs >= end);
      this.push({ from: start, to: end, seq: at, ...this.reasonOf(cause, now, answer ?? null) });
    }
  }

  private reasonOf(
    cause: number | null,
    now: readonly { readonly span: Span; readonly part: number }[],
    answer: { readonly part: number; readonly reason: Reason } | null,
  ): Pick<Piece, 'reason' | 'part' | 'state'> {
    const { trace, machine, at } = this;
    const typeOf = (part: number) => machine.parts[part]?.type;
    const own = now.find(({ span }) => span.seq === cause);
    const target = trace.partOf(at);
    const isTaken = typeOf(target)?.actor === 'bus' && TAKES.includes(trace.event(at)?.name ?? '');
    if (!own && isTaken) return { reason: 'arbitration', part: target, state: '' };
    if (!own && answer) return { ...answer, state: '' };
    const active = now.find(({ span }) => span.state.style !== 'hatch');
    const chosen = own ?? active ?? now[0];
    if (chosen) {
      const { name, title } = chosen.span.state;
      const reason = reasonOfState(typeOf(chosen.part)?.name ?? '', name) ?? 'software';
      return { reason, part: chosen.part, state: title };
    }
    if (trace.event(at)?.name === ('interrupted' satisfies EventWord))
      return { reason: 'interrupt', part: target, state: '' };
    return {
      reason: ACTOR_REASONS[typeOf(target)?.actor ?? ''] ?? 'device',
      part: target,
      state: '',
    };
  }

  /** What the cause of a link led to meanwhile, in order of time. */
  private answersTo(cause: number, from: number, to: number) {
    const { trace, at } = this;
    const found: { timePs: number; part: number; reason: Reason }[] = [];
    for (let seq = cause + 1; seq < Math.min(at, cause + MOST_ANSWERS); seq++) {
      if (trace.causeOf(seq) !== cause) continue;
      const reason = ANSWERS[(trace.event(seq)?.name ?? '') as EventWord];
      const timePs = trace.timeOf(seq);
      if (reason && timePs > from && timePs < to)
        found.push({ timePs, part: trace.partOf(seq), reason });
    }
    return found;
  }

  /** Joins it with the piece after it if both are the same. */
  private push(piece: Piece): void {
    const { reversed } = this;
    const next = reversed.at(-1);
    if (
      next &&
      next.reason === piece.reason &&
      next.part === piece.part &&
      next.state === piece.state
    )
      reversed[reversed.length - 1] = { ...next, from: piece.from };
    else reversed.push(piece);
  }
}

export interface PathRow {
  readonly reason: Reason;
  readonly part: number;
  readonly pieces: readonly Piece[];
  readonly timePs: number;
}

/** The pieces by part and reason, in the order in which they first come. */
export function pathRows(pieces: readonly Piece[]): PathRow[] {
  const rows = new Map<string, { reason: Reason; part: number; pieces: Piece[]; timePs: number }>();
  for (const piece of pieces) {
    const key = `${piece.part} ${piece.reason}`;
    const row = rows.get(key) ?? { reason: piece.reason, part: piece.part, pieces: [], timePs: 0 };
    row.pieces.push(piece);
    row.timePs += piece.to - piece.from;
    rows.set(key, row);
  }
  return [...rows.values()];
}

/** What a part did beside the path. */
export interface Beside {
  readonly part: number;
  readonly track: string;
  readonly spans: readonly { readonly from: number; readonly to: number }[];
  readonly timePs: number;
  /** The state that took most of it. */
  readonly state: string;
}

/** The parts that worked during the operation while the path was elsewhere, the busiest first. */
export function workOffPath(
  trace: Trace,
  pieces: readonly Piece[],
  { from, to }: Pick<Operation, 'from' | 'to'>,
): Beside[] {
  return trace.lanes
    .flatMap((lane): Beside[] => {
      const own = pieces.filter(({ part }) => part === lane.part);
      const byState = new Map<string, number>();
      const spans = lane.between(from, to).flatMap((span) =>
        without(Math.max(span.from, from), Math.min(span.to, to), own).map((rest) => {
          const { title } = span.state;
          byState.set(title, (byState.get(title) ?? 0) + rest.to - rest.from);
          return rest;
        }),
      );
      const timePs = spans.reduce((sum, rest) => sum + rest.to - rest.from, 0);
      const [most] = [...byState].sort((a, b) => b[1] - a[1]);
      return timePs > 0
        ? [{ part: lane.part, track: lane.title, spans, timePs, state: most?.[0] ?? '' }]
        : [];
    })
    .sort((a, b) => b.timePs - a.timePs);
}

/** What is left of an interval outside some pieces, which are in order of time. */
function without(from: number, to: number, pieces: readonly Piece[]) {
  const rest: { from: number; to: number }[] = [];
  let at = from;
  for (const piece of pieces) {
    if (piece.to <= at) continue;
    if (piece.from >= to) break;
    if (piece.from > at) rest.push({ from: at, to: piece.from });
    at = Math.max(at, piece.to);
  }
  if (at < to) rest.push({ from: at, to });
  return rest;
}
