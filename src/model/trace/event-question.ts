/** The question that an explanation answers, derived from its event. */
import type { PartType } from '../../engine/manifest';
import type { Trace } from './trace';

interface Named {
  readonly parts: readonly { readonly title: string; readonly type: PartType }[];
}

/** Lower case for use within a sentence; acronyms such as TLB stay. */
const lower = (text: string): string =>
  /^[A-Z]{2}/.test(text) ? text : text.charAt(0).toLowerCase() + text.slice(1);

/** "stalled: posting buffer full" and "waiting for data" follow "is"; "its write waits for the bus" does not. */
const FOLLOWS_IS = /^\w+(ed|ing)\b/;

/** "Why is CPU stalled: posting buffer full?", or what led to the event if nothing waits. */
export function eventQuestion({ parts }: Named, trace: Trace, seq: number): string {
  const [record, event] = [trace.record(seq), trace.event(seq)];
  const part = parts[record?.part ?? -1];
  if (!record || !event || !part) return 'What led to this?';
  const span = event.lane
    ? trace.lane(record.part, event.lane.track)?.at(record.timePs, seq)
    : null;
  if (span?.seq === seq && span.state.style === 'hatch') {
    const doing = lower(span.state.title);
    return FOLLOWS_IS.test(doing)
      ? `Why is ${part.title} ${doing}?`
      : `${part.title}: ${doing}. Why?`;
  }
  return `${trace.sentence(seq)} What led to this?`;
}
