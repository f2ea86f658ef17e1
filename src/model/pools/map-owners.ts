/**
 * Tracks which page of which mapping is at each place, for recordings that contain only places. Several devices may
 * have their own tables with the same place, and events do not distinguish them. The last mapping is then removed
 * first, page by page.
 *
 *     place     0         4    6         10
 *     segments  | A from 0 | B  | A from 6 |         B is mapped over pages 4 and 5 of A
 *                            A
 *
 * Segments of pages with equal layers are stored, so the cost of an event depends on the cuts, not on its pages.
 */
import { Sorted } from '../../base/sorted';

/**
 * An allocation; an allocation that failed in the recording (it is freed at once if it succeeds); or the release of
 * pages `from`..`from + pages - 1` of allocation `id`. Ids are reused after all pages are released.
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
  /** Place of the mapping's page 0. */
  readonly origin: number;
  readonly below: Layer | null;
  /** Pages that have not been released. */
  left: number;
}

/** Pages with the same layers. */
interface Segment {
  readonly start: number;
  end: number;
  top: Layer;
}

/** Maximum number of live mappings, or pieces of mappings. */
export const MAX_LIVE_MAPPINGS = 1 << 19;
/** Budget of touched pieces: per event, plus an initial amount. */
const PIECES = { each: 64, first: 1 << 18 };

/** The recording is too complex to track; the message is added to the position. */
export class AmbiguousPattern extends Error {}

export class EntryOwners {
  readonly #segments = new Sorted<Segment>();
  /** Unreleased pages of each live mapping, by id. */
  readonly #left: number[] = [];
  readonly #free: number[] = [];
  #live = 0;
  #events = 0;
  #touched = 0;
  /** Number of releases without a known allocation. */
  leftOut = 0;

  /** @throws {AmbiguousPattern} */
  take(cpu: number, place: number, pages: number): PatternStep {
    this.#events++;
    const id = this.#newId(pages);
    this.#addLayer(place, place + pages, id, place);
    return { kind: 'take', id, cpu, pages, from: 0 };
  }

  /** A failed allocation occupies no place. */
  attempt(cpu: number, pages: number): PatternStep {
    const id = this.#newId(0);
    this.#free.push(id);
    return { kind: 'try', id, cpu, pages, from: 0 };
  }

  /**
   * The allocations released at these pages.
   * @throws {AmbiguousPattern}
   */
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
      this.#removeTopLayer(at);
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

  /** Adds a layer over all pages up to `end`. */
  #addLayer(place: number, end: number, id: number, origin: number): void {
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

  #removeTopLayer(segment: Segment): void {
    const { top, start, end } = segment;
    top.left -= end - start;
    if (top.left === 0) this.#live--;
    if (top.below) {
      segment.top = top.below;
      this.#join(start);
    } else this.#segments.delete(start);
  }

  /** Splits the segment at a place. */
  #cut(place: number): void {
    const segment = this.#segments.below(place);
    if (!segment || segment.end <= place) return;
    this.#put(place, segment.end, segment.top);
    segment.end = place;
  }

  /** Joins two segments with equal layers. */
  #join(place: number): void {
    const [left, right] = [this.#segments.below(place), this.#segments.from(place)];
    if (right?.start !== place || left?.end !== place || left.top !== right.top) return;
    left.end = right.end;
    this.#segments.delete(place);
  }

  #touch(): void {
    if (++this.#touched > PIECES.first + this.#events * PIECES.each)
      throw new AmbiguousPattern(
        `The mappings overlap in more than ${PIECES.each} pieces per event; keep only the events of one device.`,
      );
  }
}
