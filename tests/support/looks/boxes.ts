/** Where elements and words are, as far as they can be seen. */

export interface Flaw {
  readonly kind:
    | 'overlap'
    | 'cut'
    | 'leaves'
    | 'torn'
    | 'covered'
    | 'raw'
    | 'wide'
    | 'small'
    | 'beyond'
    | 'unit'
    | 'legend'
    | 'hidden';
  /** Panel or region, and the element in it. */
  readonly where: string;
  readonly text: string;
  readonly other: string;
}

export interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** A run of words on one line, as far as it can be seen. */
export interface Words {
  readonly owner: Element;
  readonly node: object;
  readonly text: string;
  readonly box: Box;
}

export function meet(a: Box, b: Box): Box {
  return {
    left: Math.max(a.left, b.left),
    top: Math.max(a.top, b.top),
    right: Math.min(a.right, b.right),
    bottom: Math.min(a.bottom, b.bottom),
  };
}

export function depthOf(a: Box, b: Box): number {
  const { left, top, right, bottom } = meet(a, b);
  return Math.min(right - left, bottom - top);
}

export function area({ left, top, right, bottom }: Box): number {
  return Math.max(0, right - left) * Math.max(0, bottom - top);
}

/** The letters themselves, without the room above and below that the font keeps free. */
export function inkOf({ left, top, right, bottom }: Box): Box {
  const height = bottom - top;
  return { left, right, top: top + 0.24 * height, bottom: bottom - 0.18 * height };
}

export function isSeen(element: Element): boolean {
  return element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
}

export function nameOf(element: Element): string {
  const panel = element.closest('[data-sheet], dialog, header, aside, section[aria-label]');
  const region =
    panel?.id || panel?.getAttribute('aria-label') || panel?.tagName.toLowerCase() || 'page';
  const own = element.closest('[class]') ?? element;
  const cls = (own.getAttribute('class') ?? '').replace(/_[\w-]{5,6}_\d+/g, '').trim();
  return `${region} > ${element.tagName.toLowerCase()}.${cls}`;
}

/** The part of a box that an ancestor leaves visible; words that it cuts are a flaw unless one can scroll to them. */
export function clipped(element: Element, box: Box): { seen: Box; cutBy: Element | null } {
  let seen = box;
  let cutBy: Element | null = null;
  for (let at: Element | null = element; at && at !== document.body; at = at.parentElement) {
    const { overflowX, overflowY, position, clipPath } = getComputedStyle(at);
    const isOpen = overflowX === 'visible' && overflowY === 'visible' && clipPath === 'none';
    if (!isOpen && !(at instanceof SVGElement && !(at instanceof SVGSVGElement))) {
      const next = meet(seen, at.getBoundingClientRect());
      const lost = Math.max(next.left - seen.left, seen.right - next.right, 0);
      const low = Math.max(next.top - seen.top, seen.bottom - next.bottom, 0);
      const scrolls = /auto|scroll/.test(overflowX + overflowY);
      if (!scrolls && (lost > 1.5 || low > 2)) cutBy = at;
      seen = next;
    }
    if (position === 'fixed') break;
  }
  return { seen: meet(seen, { left: 0, top: 0, right: innerWidth, bottom: innerHeight }), cutBy };
}

/** Whether the words are covered on purpose: by a drawer, a dialog, or a sticky header. */
export function isUnderneath(element: Element, box: Box): boolean {
  const { left, top, right, bottom } = box;
  const hit = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
  let hides = false;
  for (let at = hit; at && !at.contains(element); at = at.parentElement) {
    if (element.contains(at) || at instanceof SVGElement) return false;
    const { backgroundColor, position } = getComputedStyle(at);
    hides ||= !/, 0\)$/.test(backgroundColor);
    const isLaid = /sticky|fixed|absolute/.test(position);
    if (isLaid && hides && area(meet(box, at.getBoundingClientRect())) > 0.9 * area(box))
      return true;
  }
  return false;
}

/** Layers that slide or open over the page are separate from those below. */
export function layerOf(element: Element): Element | null {
  return element.closest('aside[data-open], dialog, [popover], [role="menu"]');
}

/** The sticky bar that contains an element, if any. */
export function stayingBar(element: Element): Element | null {
  for (let at: Element | null = element; at; at = at.parentElement)
    if (/sticky|fixed/.test(getComputedStyle(at).position)) return at;
  return null;
}
