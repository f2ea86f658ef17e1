/** What a run did before an event, from the newest record back; and how the parts of its machine are set. */
import type { EventField, MemberName, PartName } from '../../engine/gen/names';
import type { EventSpec } from '../../engine/manifest';
import type { CompiledMachine, CompiledPart } from '../scenario/compile';
import { fieldIn, type Trace, type TraceRecord } from '../trace/trace';

/** A record with its event. */
export interface TraceEvent {
  readonly record: TraceRecord;
  readonly event: EventSpec;
  readonly part: CompiledPart;
}

export const field = ({ record, event }: TraceEvent, name: EventField): number | null =>
  fieldIn(event, record, name);

/** The record before an event, from the newest back. */
export class TraceQuery {
  constructor(
    private readonly machine: CompiledMachine,
    private readonly trace: Trace,
    private readonly seq: number,
  ) {}

  told(seq: number): TraceEvent | null {
    const [record, event] = [this.trace.record(seq), this.trace.event(seq)];
    const part = this.machine.parts[record?.part ?? -1];
    return record && event && part ? { record, event, part } : null;
  }

  /** What happened, as one sentence. */
  sentence({ record }: TraceEvent): string {
    return this.trace.sentence(record.seq);
  }

  last(test: (told: TraceEvent) => boolean, before = this.seq): TraceEvent | null {
    for (let seq = before - 1; seq >= this.trace.first; seq--) {
      const told = this.told(seq);
      if (told && test(told)) return told;
    }
    return null;
  }

  parts(type: PartName): readonly CompiledPart[] {
    return this.machine.parts.filter((part) => part.type.name === type);
  }

  /** The newest record that says what a line is in a cache, or in any. */
  lineOf(line: number, cache: CompiledPart | null = null, state?: MemberName): TraceEvent | null {
    return this.last(
      (told) =>
        (told.event.name === 'row' || told.event.name === 'filled') &&
        (cache === null || told.part === cache) &&
        field(told, 'address') === line &&
        (state === undefined || stateIn(told) === state),
    );
  }

  /** The caches that hold a line private dirty, each with the record since which it does. */
  dirty(line: number): readonly TraceEvent[] {
    return this.parts('snoop_cache').flatMap((cache) => {
      const last = this.lineOf(line, cache);
      return last && stateIn(last) === 'private_dirty' ? [last] : [];
    });
  }
}

const stateIn = (told: TraceEvent): MemberName | undefined =>
  told.part.type.enums.line?.[field(told, 'next') ?? -1]?.name;
