import { clamp, type Rect } from '../base/geometry';

interface Size {
  readonly width: number;
  readonly height: number;
}

const GAP = 4;
const MARGIN = 8;

/**
 * Position of a popover of this size: below its control, above if there is no room, never outside the window.
 */
export function placePopover(
  anchor: Rect,
  size: Size,
  page: Size,
  align: 'start' | 'end',
): { left: number; top: number } {
  const left = align === 'start' ? anchor.x : anchor.x + anchor.width - size.width;
  const below = anchor.y + anchor.height + GAP;
  const above = anchor.y - GAP - size.height;
  const fitsBelow = below + size.height <= page.height - MARGIN;
  const top = fitsBelow || above < MARGIN ? below : above;
  return {
    left: clamp(left, MARGIN, page.width - MARGIN - size.width),
    top: clamp(top, MARGIN, page.height - MARGIN - size.height),
  };
}
