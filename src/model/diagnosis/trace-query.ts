/** Queries backwards through the trace from an event, and over the parts of the machine. */
import type { EventField, MemberName, PartName } from '../../engine/gen/names';
import type { EventSpec } from '../../engine/manifest';
import type { CompiledMachine, CompiledPart } from '../scenario/compiled';
import { fieldIn, type Trace, type TraceRecord } from '../trace/trace';

/** A record with its event. */
export interface TraceEvent {
  readonly record: TraceRecord;
  readonly event: EventSpec;
  readonly part: CompiledPart;
}

export const field = ({ record, event }: TraceEvent, name: EventField): number | null =>
  fieldIn(event, record, name);

/** The records before an event, newest first. */
export class TraceQuery {
  constructor(
    private readonly machine: CompiledMachine,
    private readonly trace: Trace,
    private readonly seq: number,
  ) {}

  event(seq: number): TraceEvent | null {
    const [record, event] = [this.trace.record(seq), this.trace.event(seq)];
    const part = this.machine.parts[record?.part ?? -1];
    return record && event && part ? { record, event, part } : null;
  }

  /** The event as a sentence. */
  sentence({ record }: TraceEvent): string {
    return this.trace.sentence(record.seq);
  }

  last(test: (one: TraceEvent) => boolean, before = this.seq): TraceEvent | null {
    for (let seq = before - 1; seq >= this.trace.first; seq--) {
      const one = this.event(seq);
      if (one && test(one)) return one;
    }
    return null;
  }

  parts(type: PartName): readonly CompiledPart[] {
    return this.machine.parts.filter((part) => part.type.name === type);
  }

  /** The newest record with the state of a line in one cache, or in any. */
  lineOf(line: number, cache: CompiledPart | null = null, state?: MemberName): TraceEvent | null {
    return this.last(
      (one) =>
        (one.event.name === 'row' || one.event.name === 'filled') &&
        (cache === null || one.part === cache) &&
        field(one, 'address') === line &&
        (state === undefined || stateIn(one) === state),
    );
  }

  /** The caches that hold a line private dirty, each with the record since when. */
  dirty(line: number): readonly TraceEvent[] {
    return this.parts('snoop_cache').flatMap((cache) => {
      const last = this.lineOf(line, cache);
      return last && stateIn(last) === 'private_dirty' ? [last] : [];
    });
  }
}

const stateIn = (one: TraceEvent): MemberName | undefined =>
  one.part.type.enums.line?.[field(one, 'next') ?? -1]?.name;
