/**
 * What every track of a machine did, as stretches of time in one state, built while the records of a run
 * come in. An event of the manifest that names a track begins a stretch, or ends one when it sets none.
 */
import type { TraceChunk } from '../engine/api';
import type { EnumMember, EventSpec, PartType, TrackSpec } from '../engine/manifest';

export interface Span {
  readonly from: number;
  /** Infinity while nothing later is recorded. */
  readonly to: number;
  readonly state: EnumMember;
  /** Record that began it. */
  readonly seq: number;
  /** Part on whose behalf it happens, if the record names one of its ports. */
  readonly by: number | null;
}

export interface Track {
  readonly part: number;
  readonly spec: TrackSpec;
  /** In order of time; the last may still be open. */
  readonly spans: Span[];
}

interface TrackedPart {
  readonly type: PartType;
}

interface TrackedWire {
  readonly ends: readonly [TrackedEnd, TrackedEnd];
}

interface TrackedEnd {
  readonly part: number;
  readonly slot: number;
}

/** How the records of one kind change a track. */
interface Rule {
  readonly track: string;
  readonly states: readonly EnumMember[];
  /** Number of the state, or the column that holds it; null ends the stretch. */
  readonly set: number | 'a' | 'b' | 'c' | null;
  /** Column that holds the port of the one it is done for. */
  readonly port: 'a' | 'b' | 'c' | null;
}

function ruleOf(type: PartType, event: EventSpec): Rule | null {
  const { lane } = event;
  const spec = type.tracks.find((track) => track.name === lane?.track);
  if (!lane || !spec) return null;
  const states = type.enums[spec.states] ?? [];
  const slotOf = (name: string) => event.fields.find((field) => field.name === name)?.slot;
  const field = /^\{(\w+)\}$/.exec(lane.set ?? '')?.[1];
  const named = states.findIndex((member) => member.name === lane.set);
  const set = field ? ((slotOf(field) as 'a') ?? null) : named >= 0 ? named : null;
  const port = (event.fields.find(({ as }) => as === 'port')?.slot as 'a') ?? null;
  return { track: spec.name, states, set, port };
}

export class Tracks {
  readonly all: readonly Track[];
  /** By kind of record. */
  private readonly rules: (Rule | null)[] = [];
  private readonly byName = new Map<string, Track>();
  private readonly owners = new Map<string, number>();

  constructor(parts: readonly TrackedPart[], wires: readonly TrackedWire[]) {
    for (const { type } of parts)
      for (const event of type.events) this.rules[event.kind] ??= ruleOf(type, event);
    this.all = parts.flatMap(({ type }, part) =>
      type.tracks.map((spec) => ({ part, spec, spans: [] })),
    );
    for (const track of this.all) this.byName.set(`${track.part} ${track.spec.name}`, track);
    for (const { ends } of wires) {
      this.owners.set(`${ends[0].part} ${ends[0].slot}`, ends[1].part);
      this.owners.set(`${ends[1].part} ${ends[1].slot}`, ends[0].part);
    }
  }

  take(chunk: TraceChunk): void {
    for (let i = 0; i < chunk.length; i++) {
      const rule = this.rules[chunk.kind[i] as number];
      if (!rule) continue;
      const part = chunk.part[i] as number;
      const track = this.byName.get(`${part} ${rule.track}`);
      if (track) this.change(track, rule, chunk, i);
    }
  }

  private change(track: Track, rule: Rule, chunk: TraceChunk, i: number): void {
    const { spans } = track;
    const time = chunk.timePs[i] as number;
    const before = spans.at(-1);
    if (before?.to === Number.POSITIVE_INFINITY) {
      if (before.from === time) spans.pop();
      else spans[spans.length - 1] = { ...before, to: time };
    }
    const { set } = rule;
    if (set === null) return;
    const state = rule.states[typeof set === 'number' ? set : (chunk[set][i] as number)];
    if (!state || state.style === 'none') return;
    const by = rule.port && this.owners.get(`${track.part} ${chunk[rule.port][i]}`);
    const seq = chunk.firstSeq + i;
    spans.push({ from: time, to: Number.POSITIVE_INFINITY, state, seq, by: by ?? null });
  }

  track(part: number, name: string): Track | undefined {
    return this.byName.get(`${part} ${name}`);
  }

  /** The stretch that a track is in at a time, given that only records up to `seq` have happened. */
  at(part: number, name: string, timePs: number, seq: number): Span | null {
    const spans = this.track(part, name)?.spans ?? [];
    let index = firstAfter(spans, timePs) - 1;
    while (index >= 0 && (spans[index] as Span).seq > seq) index--;
    const span = spans[index];
    return span && (timePs < span.to || isOpenAt(spans, index, timePs, seq)) ? span : null;
  }
}

/** At the very moment of a change, the old stretch goes on until the record of the new one happens. */
function isOpenAt(spans: readonly Span[], index: number, timePs: number, seq: number): boolean {
  const [span, next] = [spans[index] as Span, spans[index + 1]];
  return span.to === timePs && next !== undefined && next.from === timePs && next.seq > seq;
}

/** How many spans begin at or before a time. */
export function firstAfter(spans: readonly Span[], timePs: number): number {
  let [low, high] = [0, spans.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((spans[middle] as Span).from > timePs) high = middle;
    else low = middle + 1;
  }
  return low;
}
