/**
 * The broken scale of an address map. Every stretch between two boundaries is as high as the logarithm of its size
 * asks, so that registers of 4 KiB are seen beside 2 GiB of memory; a gap that nothing uses is low.
 */

export interface AddressRange {
  readonly from: bigint;
  /** Exclusive. */
  readonly end: bigint;
}

export interface Stretch extends AddressRange {
  /** In px from the top; low addresses are at the top. */
  readonly top: number;
  readonly height: number;
  /** Nothing uses it. */
  readonly isGap: boolean;
}

const LOW_PX = 20;
const HIGH_PX = 64;
const GAP_PX = 24;
const PX_PER_DOUBLING = 2.2;
const PAGE_BITS = 12;

const ordered = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);

function heightOf({ from, end }: AddressRange, isGap: boolean): number {
  if (isGap) return GAP_PX;
  const doublings = Math.log2(Number(end - from)) - PAGE_BITS;
  return Math.min(Math.max(LOW_PX + PX_PER_DOUBLING * doublings, LOW_PX), HIGH_PX);
}

export class AddressScale {
  readonly stretches: readonly Stretch[];
  readonly height: number;

  /** @param limit the end of the address space */
  constructor(ranges: readonly AddressRange[], limit: bigint) {
    const ends = ranges.flatMap(({ from, end }) => [from, end]);
    const bounds = [...new Set([0n, ...ends, limit])].sort(ordered);
    let top = 0;
    this.stretches = bounds.slice(1).map((end, index) => {
      const range = { from: bounds[index] ?? 0n, end };
      const isGap = !ranges.some((one) => one.from < end && range.from < one.end);
      const stretch = { ...range, isGap, top, height: heightOf(range, isGap) };
      top += stretch.height;
      return stretch;
    });
    this.height = top;
  }

  /** In px from the top. */
  yOf(address: bigint): number {
    const stretch = this.stretches.find(({ end }) => address <= end);
    if (!stretch) return this.height;
    const { from, end, top, height } = stretch;
    return top + (Number(address - from) / Number(end - from)) * height;
  }

  /** The multiple of `step` nearest to a place. */
  addressAt(y: number, step: bigint): bigint {
    const place = Math.min(Math.max(y, 0), this.height);
    const stretch = this.stretches.find(({ top, height }) => place <= top + height);
    if (!stretch) return 0n;
    const { from, end, top, height } = stretch;
    const offset = BigInt(Math.round(((place - top) / height) * Number(end - from)));
    const address = from + offset;
    const below = (address / step) * step;
    return address - below < step - (address - below) ? below : below + step;
  }

  /** Addresses per px at a place. */
  perPx(y: number): number {
    const stretch = this.stretches.find(({ top, height }) => y <= top + height);
    return stretch ? Number(stretch.end - stretch.from) / stretch.height : 1;
  }
}
