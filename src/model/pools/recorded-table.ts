/**
 * An I/O page table reconstructed from a recording: the mapped pages with the line of their mapping, and the lines
 * at which other pages were unmapped. Ranges are stored, not pages, so the cost of an event depends on the ranges
 * it cuts.
 *
 * Domains have separate tables, and most recordings do not name them. A page mapped again while mapped belongs to
 * another domain and is put into another layer; ranges within a layer never overlap.
 */
import { Sorted } from '../../base/sorted';

interface Mapping {
  readonly line: number;
  readonly cpu: number;
  readonly start: number;
  readonly end: number;
  /** Pages that are still mapped. */
  left: number;
  /** Whether a partial unmap of it was reported. */
  isReported: boolean;
}

interface Piece {
  readonly start: number;
  end: number;
  readonly mapping: Mapping;
}

/** Pages that were unmapped at one line. */
interface Unmapped {
  readonly start: number;
  end: number;
  readonly line: number;
}

/**
 * Pages that an unmap found not mapped, and the line that unmapped the first known one of them; 0 if none is known.
 */
export interface NotMapped {
  readonly page: number;
  readonly line: number;
}

export interface Removal {
  /** Lines of mappings with pages left, each reported once. */
  readonly parts: readonly number[];
  /** The line of the mapping inside which the range starts; 0 if it starts at a mapping's start, or in none. */
  readonly inside: number;
  readonly missing: readonly NotMapped[];
}

/** Maximum number of live mappings, and of unmapped ranges, at about 100 bytes each. */
const MAX_LIVE = 1 << 22;
/** Maximum number of domains that map one address: PCI functions of 8 devices. */
const MAX_LAYERS = 64;

const firstIn = <T extends { start: number; end: number }>(
  ranges: Sorted<T>,
  start: number,
  end: number,
): T | undefined => {
  const below = ranges.below(start + 1);
  if (below && below.end > start) return below;
  const above = ranges.from(start);
  return above && above.start < end ? above : undefined;
};

export class RecordedTable {
  readonly #layers: Sorted<Piece>[] = [new Sorted()];
  #unmapped = new Sorted<Unmapped>();
  #ranges = 0;
  readonly #live = new Set<Mapping>();
  most = 0;
  /** Mappings that were not tracked because the table was full. */
  notFollowed = 0;

  /** The line of a live mapping that overlaps the new one; 0 if none. Mappings before `since` are ignored. */
  map(start: number, end: number, line: number, cpu: number, since: number): number {
    const { layer, across } = this.#freeLayer(start, end, since);
    if (!layer || this.#live.size >= MAX_LIVE) {
      this.notFollowed++;
      return across;
    }
    const mapping = { line, cpu, start, end, left: end - start, isReported: false };
    layer.set(start, { start, end, mapping });
    this.#live.add(mapping);
    this.most = Math.max(this.most, this.#live.size);
    return across;
  }

  #freeLayer(start: number, end: number, since: number) {
    let across = 0;
    for (const layer of this.#layers) {
      let found = firstIn(layer, start, end);
      while (found && found.mapping.line <= since) {
        this.#cutOut(layer, found, Math.max(start, found.start), Math.min(end, found.end));
        found = firstIn(layer, start, end);
      }
      if (!found) return { layer, across };
      across ||= found.mapping.line;
    }
    if (this.#layers.length === MAX_LAYERS) return { layer: null, across };
    const layer = new Sorted<Piece>();
    this.#layers.push(layer);
    return { layer, across };
  }

  unmap(start: number, end: number, line: number, cpu: number): Removal {
    const touched = new Set<Mapping>();
    const missing: NotMapped[] = [];
    let inside = 0;
    for (let at = start; at < end; ) {
      const found = this.#pieceAt(at, end, cpu);
      if (!found) {
        const to = Math.min(end, this.#nextStart(at, end));
        const before = this.unmappedAt(at, to);
        missing.push({ page: before?.page ?? at, line: before?.line ?? 0 });
        at = to;
        continue;
      }
      const { layer, piece } = found;
      const to = Math.min(end, piece.end);
      if (at === start && piece.mapping.start < at) inside = piece.mapping.line;
      touched.add(piece.mapping);
      this.#cutOut(layer, piece, at, to);
      this.#note(at, to, line);
      at = to;
    }
    const parts: number[] = [];
    for (const mapping of touched) {
      if (mapping.left === 0 || mapping.isReported) continue;
      mapping.isReported = true;
      parts.push(mapping.line);
    }
    return { parts, inside, missing };
  }

  /** The piece to unmap at a page: of the mapping with exactly this range, else one that starts here, else any. */
  #pieceAt(at: number, end: number, cpu: number) {
    let best: { layer: Sorted<Piece>; piece: Piece } | null = null;
    let most = 0;
    for (const layer of this.#layers) {
      const piece = layer.below(at + 1);
      if (!piece || piece.end <= at) continue;
      const { mapping } = piece;
      const fit =
        (mapping.start === at && mapping.end === end ? 8 : 0) +
        (mapping.start === at && mapping.end <= end ? 4 : 0) +
        (mapping.cpu === cpu ? 2 : 0) +
        1;
      if (fit <= most) continue;
      best = { layer, piece };
      most = fit;
    }
    return best;
  }

  #nextStart(at: number, end: number): number {
    let next = end;
    for (const layer of this.#layers) next = Math.min(next, layer.from(at)?.start ?? end);
    return next;
  }

  /** Cuts pages out of a piece, which may leave a rest on both sides. */
  #cutOut(layer: Sorted<Piece>, piece: Piece, from: number, to: number): void {
    const { start, end, mapping } = piece;
    if (start < from) piece.end = from;
    else layer.delete(start);
    if (to < end) layer.set(to, { start: to, end, mapping });
    mapping.left -= to - from;
    if (mapping.left === 0) this.#live.delete(mapping);
  }

  /** Remembers unmapped pages. If there are too many ranges, all are dropped, without findings. */
  #note(start: number, end: number, line: number): void {
    if (this.#ranges >= MAX_LIVE) this.forget();
    for (
      let old = firstIn(this.#unmapped, start, end);
      old;
      old = firstIn(this.#unmapped, start, end)
    ) {
      if (old.start < start) {
        const whole = old.end;
        old.end = start;
        if (whole > end) this.#remember(end, whole, old.line);
      } else {
        this.#unmapped.delete(old.start);
        this.#ranges--;
        if (old.end > end) this.#remember(end, old.end, old.line);
      }
    }
    const left = this.#unmapped.below(start);
    if (left?.end === start && left.line === line) left.end = end;
    else this.#remember(start, end, line);
  }

  #remember(start: number, end: number, line: number): void {
    this.#unmapped.set(start, { start, end, line });
    this.#ranges++;
  }

  /** The first page of a range that was unmapped, and where; null if none was. */
  unmappedAt(start: number, end: number): NotMapped | null {
    const found = firstIn(this.#unmapped, start, end);
    return found ? { page: Math.max(start, found.start), line: found.line } : null;
  }

  /** Drops the remembered unmaps: their addresses may have been mapped again. */
  forget(): void {
    this.#unmapped = new Sorted();
    this.#ranges = 0;
  }

  /** The line of a mapping of a page; 0 if there is none. */
  mappedAt(page: number): number {
    for (const layer of this.#layers) {
      const piece = layer.below(page + 1);
      if (piece && piece.end > page) return piece.mapping.line;
    }
    return 0;
  }

  /** Lines of the live mappings. */
  get lines(): number[] {
    return [...this.#live].map(({ line }) => line);
  }
}
