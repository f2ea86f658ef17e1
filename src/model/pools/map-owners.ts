/**
 * Which page of which mapping lies where, for patterns that tell places only. Several devices may have tables
 * of their own, and the same place in them; events do not tell them apart. What was mapped last is then taken
 * back first, page by page.
 *
 *     place     0         4    6         10
 *     segments  | A from 0 | B  | A from 6 |         B was mapped over pages 4 and 5 of A
 *                            A
 *
 * Places are kept as segments of pages with the same layers, so an event costs what it cuts, not its pages.
 */
import { Sorted } from '../../base/sorted';

/**
 * An allocation; one that failed when it was recorded, and is given back at once should it succeed; or the
 * return of pages `from`..`from + pages - 1` of allocation `id`. An id is used again once all is returned.
 */
export interface PatternStep {
  readonly kind: 'take' | 'try' | 'give';
  readonly id: number;
  readonly cpu: number;
  readonly pages: number;
  readonly from: number;
}

interface Layer {
  readonly id: number;
  /** Where page 0 of the mapping would lie. */
  readonly origin: number;
  readonly below: Layer | null;
  /** Pages of it that have not been given back. */
  left: number;
}

/** Pages with the same layers. */
interface Segment {
  readonly start: number;
  end: number;
  top: Layer;
}

/** Mappings, or pieces of them, that may be live at once. */
export const MAX_LIVE_MAPPINGS = 1 << 19;
/** Pieces that events may touch: so many each, and some to begin with. */
const PIECES = { each: 64, first: 1 << 18 };

/** More than can be followed: a sentence about the place that was reached. */
export class AmbiguousPattern extends Error {}

export class EntryOwners {
  readonly #segments = new Sorted<Segment>();
  /** Pages of each live mapping that have not been given back, by id. */
  readonly #left: number[] = [];
  readonly #free: number[] = [];
  #live = 0;
  #events = 0;
  #touched = 0;
  /** Returns of what was not seen to be taken. */
  leftOut = 0;

  /** @throws {AmbiguousPattern} */
  take(cpu: number, place: number, pages: number): PatternStep {
    this.#events++;
    const id = this.#newId(pages);
    this.#loadTraceAround(place, place + pages, id, place);
    return { kind: 'take', id, cpu, pages, from: 0 };
  }

  /** An allocation that failed takes no place. */
  attempt(cpu: number, pages: number): PatternStep {
    const id = this.#newId(0);
    this.#free.push(id);
    return { kind: 'try', id, cpu, pages, from: 0 };
  }

  /** What is given back by a return of these pages. @throws {AmbiguousPattern} */
  give(cpu: number, place: number, pages: number): PatternStep[] {
    this.#events++;
    const end = place + pages;
    this.#cut(place);
    this.#cut(end);
    const steps: PatternStep[] = [];
    let at = this.#segments.from(place);
    while (at && at.start < end) {
      this.#touch();
      this.#note(steps, cpu, at);
      this.#unmask(at);
      at = this.#segments.from(at.end);
    }
    this.#join(end);
    if (steps.length === 0) this.leftOut++;
    return steps;
  }

  #note(steps: PatternStep[], cpu: number, { start, end, top }: Segment): void {
    const { id } = top;
    const [pages, from] = [end - start, start - top.origin];
    const last = steps.at(-1);
    if (last?.id === id && last.from + last.pages === from)
      steps[steps.length - 1] = { ...last, pages: last.pages + pages };
    else steps.push({ kind: 'give', id, cpu, pages, from });
    const left = (this.#left[id] ?? 0) - pages;
    this.#left[id] = left;
    if (left === 0) this.#free.push(id);
  }

  #newId(pages: number): number {
    const id = this.#free.pop() ?? this.#left.length;
    this.#left[id] = pages;
    return id;
  }

  /** Puts a layer over all pages up to `end`. */
  #loadTraceAround(place: number, end: number, id: number, origin: number): void {
    this.#cut(place);
    this.#cut(end);
    for (let at = place; at < end; ) {
      const segment = this.#segments.from(at);
      this.#touch();
      if (segment?.start === at) {
        segment.top = this.#layer(id, origin, segment.top, segment.end - at);
        at = segment.end;
      } else {
        const gap = Math.min(segment?.start ?? end, end);
        this.#put(at, gap, this.#layer(id, origin, null, gap - at));
        at = gap;
      }
    }
  }

  #put(start: number, end: number, top: Layer): void {
    this.#segments.set(start, { start, end, top });
  }

  #layer(id: number, origin: number, below: Layer | null, left: number): Layer {
    if (++this.#live > MAX_LIVE_MAPPINGS)
      throw new AmbiguousPattern(
        `At most ${MAX_LIVE_MAPPINGS} mappings, or pieces of them, may be live at once.`,
      );
    return { id, origin, below, left };
  }

  #unmask(segment: Segment): void {
    const { top, start, end } = segment;
    top.left -= end - start;
    if (top.left === 0) this.#live--;
    if (top.below) {
      segment.top = top.below;
      this.#join(start);
    } else this.#segments.delete(start);
  }

  /** Makes a segment begin at a place, if one lies across it. */
  #cut(place: number): void {
    const segment = this.#segments.below(place);
    if (!segment || segment.end <= place) return;
    this.#put(place, segment.end, segment.top);
    segment.end = place;
  }

  /** Undoes a cut whose sides have the same layers. */
  #join(place: number): void {
    const [left, right] = [this.#segments.below(place), this.#segments.from(place)];
    if (right?.start !== place || left?.end !== place || left.top !== right.top) return;
    left.end = right.end;
    this.#segments.delete(place);
  }

  #touch(): void {
    if (++this.#touched > PIECES.first + this.#events * PIECES.each)
      throw new AmbiguousPattern(
        `The mappings lie across one another in more than ${PIECES.each} pieces an event; keep the events of one device.`,
      );
  }
}
