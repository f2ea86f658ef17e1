/**
 * Looks at a page as a reader does, from inside it: words that lie over one another, are cut, or leave
 * their box, values torn apart by a line break, controls that cover each other. The functions of this
 * file are sent into the page together, so they use nothing but each other.
 */

export interface Flaw {
  readonly kind: 'overlap' | 'cut' | 'leaves' | 'torn' | 'covered' | 'raw' | 'wide';
  /** Panel or region, and the element in it. */
  readonly where: string;
  readonly text: string;
  readonly other: string;
}

interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** A run of words on one line, as far as it can be seen. */
interface Words {
  readonly owner: Element;
  readonly node: object;
  readonly text: string;
  readonly box: Box;
}

interface CanvasWords {
  readonly text: string;
  readonly box: Box;
}

type WithWords = HTMLCanvasElement & { words?: CanvasWords[] };

/** What canvases paint is told by nobody else: notes the words as they are painted. To run before the page. */
function noteCanvasWords(): void {
  const pen = CanvasRenderingContext2D.prototype;
  const { fillText, fillRect, clearRect } = pen;
  const listOf = (context: CanvasRenderingContext2D) => {
    const canvas = context.canvas as WithWords;
    canvas.words ??= [];
    return canvas.words;
  };
  const placed = (
    context: CanvasRenderingContext2D,
    x: number,
    y: number,
    w: number,
    h: number,
  ) => {
    const { a, d, e, f } = context.getTransform();
    const ratio = devicePixelRatio || 1;
    const [left, top] = [(x * a + e) / ratio, (y * d + f) / ratio];
    return { left, top, right: left + (w * a) / ratio, bottom: top + (h * d) / ratio };
  };
  pen.clearRect = function (...args) {
    listOf(this).length = 0;
    return clearRect.apply(this, args);
  };
  pen.fillRect = function (x, y, w, h) {
    if (this.globalAlpha > 0.9 && typeof this.fillStyle === 'string') {
      const over = placed(this, x, y, w, h);
      const list = listOf(this);
      const left = list.filter(
        ({ box }) =>
          box.left < over.left - 1 ||
          box.right > over.right + 1 ||
          box.top < over.top - 1 ||
          box.bottom > over.bottom + 1,
      );
      list.splice(0, list.length, ...left);
    }
    return fillRect.call(this, x, y, w, h);
  };
  pen.fillText = function (text, x, y, most) {
    const {
      width,
      actualBoundingBoxAscent: up,
      actualBoundingBoxDescent: down,
    } = this.measureText(text);
    const wide = Math.min(width, most ?? width);
    const from =
      this.textAlign === 'center' ? x - wide / 2 : this.textAlign === 'right' ? x - wide : x;
    const box = placed(this, from, y - up, wide, up + down);
    const list = listOf(this);
    // A word that crosses the needle is written twice in its place, in the ink of either side.
    const isThere = (one: CanvasWords) =>
      one.text === text && one.box.left === box.left && one.box.top === box.top;
    if (!list.some(isThere)) list.push({ text, box });
    return most === undefined
      ? fillText.call(this, text, x, y)
      : fillText.call(this, text, x, y, most);
  };
}

function meet(a: Box, b: Box): Box {
  return {
    left: Math.max(a.left, b.left),
    top: Math.max(a.top, b.top),
    right: Math.min(a.right, b.right),
    bottom: Math.min(a.bottom, b.bottom),
  };
}

function depthOf(a: Box, b: Box): number {
  const { left, top, right, bottom } = meet(a, b);
  return Math.min(right - left, bottom - top);
}

/** The letters themselves, without the room above and below that the font keeps free. */
function inkOf({ left, top, right, bottom }: Box): Box {
  const height = bottom - top;
  return { left, right, top: top + 0.24 * height, bottom: bottom - 0.18 * height };
}

function isSeen(element: Element): boolean {
  return element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
}

function nameOf(element: Element): string {
  const panel = element.closest('[data-sheet], dialog, header, aside, section[aria-label]');
  const region =
    panel?.id || panel?.getAttribute('aria-label') || panel?.tagName.toLowerCase() || 'page';
  const own = element.closest('[class]') ?? element;
  const cls = (own.getAttribute('class') ?? '').replace(/_[\w-]{5,6}_\d+/g, '').trim();
  return `${region} > ${element.tagName.toLowerCase()}.${cls}`;
}

/** What an ancestor leaves of a box; words that it cuts in two are a flaw unless one can scroll to them. */
function clipped(element: Element, box: Box): { seen: Box; cutBy: Element | null } {
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

function area({ left, top, right, bottom }: Box): number {
  return Math.max(0, right - left) * Math.max(0, bottom - top);
}

/** Lies something over the words that is meant to: a drawer, a dialog, a header that stays while one scrolls. */
function isUnderneath(element: Element, box: Box): boolean {
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

/** What slides or opens over the page is apart from what lies under it. */
function layerOf(element: Element): Element | null {
  return element.closest('aside[data-open], dialog, [popover], [role="menu"]');
}

/** The bar that an element is in, if it stays where it is while the page scrolls under it. */
function stayingBar(element: Element): Element | null {
  for (let at: Element | null = element; at; at = at.parentElement)
    if (/sticky|fixed/.test(getComputedStyle(at).position)) return at;
  return null;
}

function linesOf(node: Text): Box[] {
  const range = document.createRange();
  range.selectNodeContents(node);
  const lines: Box[] = [];
  for (const { left, top, right, bottom } of range.getClientRects()) {
    const last = lines.at(-1);
    if (last && Math.abs(last.top - top) < 3) {
      lines[lines.length - 1] = {
        ...last,
        left: Math.min(last.left, left),
        right: Math.max(last.right, right),
      };
    } else if (right > left) lines.push({ left, top, right, bottom });
  }
  return lines;
}

/** All words in sight, and the flaws of single ones. */
function wordsOf(flaws: Flaw[]): Words[] {
  const found: Words[] = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode() as Text | null; node; node = walker.nextNode() as Text | null) {
    const owner = node.parentElement;
    const text = node.data.trim();
    if (
      !owner ||
      text === '' ||
      owner.closest('option, title, desc, style, script') ||
      !isSeen(owner)
    )
      continue;
    const lines = linesOf(node);
    for (const line of lines) {
      const ink = inkOf(line);
      const { seen, cutBy } = clipped(owner, ink);
      if (area(seen) < 0.12 * area(ink) || seen.right - seen.left < 2) continue;
      const dots = cutBy !== null && getComputedStyle(cutBy).textOverflow === 'ellipsis';
      if (cutBy && !dots)
        flaws.push({ kind: 'cut', where: nameOf(owner), text, other: nameOf(cutBy) });
      if (cutBy && dots && !owner.closest('[title]')) {
        flaws.push({
          kind: 'cut',
          where: nameOf(owner),
          text,
          other: 'shortened, and nowhere said in full',
        });
      }
      if (!isUnderneath(owner, seen)) found.push({ owner, node, text, box: seen });
    }
    if (lines.length > 1) flaws.push(...tornIn(node, owner));
  }
  return [...found, ...canvasWords()];
}

function canvasWords(): Words[] {
  return [...document.querySelectorAll('canvas')].filter(isSeen).flatMap((owner) => {
    const at = owner.getBoundingClientRect();
    return ((owner as WithWords).words ?? []).map(({ text, box }) => {
      const moved = {
        left: at.left + box.left,
        right: at.left + box.right,
        top: at.top + box.top,
        bottom: at.top + box.bottom,
      };
      return { owner, node: {}, text, box: moved };
    });
  });
}

/** A number and its unit, or the thousands of a number, on two lines. */
function tornIn(node: Text, owner: Element): Flaw[] {
  const values =
    /\d[ \u00a0\u202f]\d{3}\b|\d[ \u00a0\u202f](?:[pnuµm]?s|k?B|[KMG]iB|[MG]B\/s|[MG]Hz|%)(?!\w)|\d+ [x×] \d+|\b[A-Z]+\d-\d\b/g;
  return [...node.data.matchAll(values)].flatMap((match) => {
    const range = document.createRange();
    range.setStart(node, match.index);
    range.setEnd(node, match.index + match[0].length);
    const rects = [...range.getClientRects()].filter(({ width }) => width > 0);
    const tops = new Set(rects.map(({ top }) => Math.round(top / 4)));
    const torn =
      rects.length > 1 && tops.size > 1 && (rects.at(-1)?.top ?? 0) - (rects[0]?.top ?? 0) > 6;
    return torn
      ? [{ kind: 'torn' as const, where: nameOf(owner), text: match[0], other: node.data.trim() }]
      : [];
  });
}

function overlapsIn(words: readonly Words[]): Flaw[] {
  const flaws: Flaw[] = [];
  const sorted = [...words].sort((a, b) => a.box.top - b.box.top);
  sorted.forEach((one, index) => {
    for (let i = index + 1; i < sorted.length; i++) {
      const two = sorted[i] as Words;
      if (two.box.top > one.box.bottom) break;
      if (layerOf(one.owner) !== layerOf(two.owner)) continue;
      if (one.node === two.node || depthOf(one.box, two.box) < 1.5) continue;
      flaws.push({
        kind: 'overlap',
        where: nameOf(one.owner),
        text: one.text,
        other: `${two.text} (${nameOf(two.owner)})`,
      });
    }
  });
  return flaws;
}

function isDrawnBox(element: Element): boolean {
  const { fill, stroke, fillOpacity } = getComputedStyle(element);
  const isFilled = fill !== 'none' && fillOpacity !== '0' && !/, 0\)$/.test(fill);
  return isSeen(element) && (isFilled || stroke !== 'none');
}

/** Words of a drawing that begin in a box and end outside it, or lie across its edge. */
function leavingBoxes(words: readonly Words[]): Flaw[] {
  const boxes = [...document.querySelectorAll('svg rect, svg circle')]
    .filter(isDrawnBox)
    .map((element) => ({
      element,
      svg: element.closest('svg'),
      box: element.getBoundingClientRect() as Box,
    }));
  return words.flatMap(({ owner, text, box }) => {
    const svg = owner.closest('svg');
    if (!svg) return [];
    const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
    const around = boxes.filter(
      (one) =>
        one.svg === svg &&
        one.box.left <= x &&
        x <= one.box.right &&
        one.box.top <= y &&
        y <= one.box.bottom &&
        one.box.bottom - one.box.top > 8 &&
        one.box.right - one.box.left > 11,
    );
    const own = around.sort((a, b) => area(a.box) - area(b.box))[0];
    if (!own) return [];
    const far = Math.max(
      own.box.left - box.left,
      box.right - own.box.right,
      own.box.top - box.top,
      box.bottom - own.box.bottom,
    );
    return far > 1
      ? [
          {
            kind: 'leaves' as const,
            where: nameOf(owner),
            text,
            other: `${nameOf(own.element)} by ${far.toFixed(1)}`,
          },
        ]
      : [];
  });
}

/** Places on the letters, as shares of their box. */
function placesOn({ left, top, right, bottom }: Box): DOMPoint[] {
  return [0.3, 0.7].flatMap((down) =>
    [0.06, 0.2, 0.35, 0.5, 0.65, 0.8, 0.94].map(
      (along) => new DOMPoint(left + along * (right - left), top + down * (bottom - top)),
    ),
  );
}

/** Words of a drawing with something on a part of them that was drawn after them: a socket, a mark. */
function paintedOver(words: readonly Words[]): Flaw[] {
  const isFull = (element: Element) => {
    const { fill, fillOpacity, opacity } = getComputedStyle(element);
    const isPlain = fill !== 'none' && !/, 0(?:\.\d+)?\)$|url/.test(fill);
    return isPlain && fillOpacity === '1' && opacity === '1' && isSeen(element);
  };
  const shapes = [
    ...document.querySelectorAll<SVGGeometryElement>('svg :is(rect, path, circle):not(defs *)'),
  ].filter(isFull);
  return words.flatMap(({ owner, text, box }) => {
    const svg = owner.closest('svg');
    const over = shapes.find((shape) => {
      const isLater = owner.compareDocumentPosition(shape) & Node.DOCUMENT_POSITION_FOLLOWING;
      if (!svg?.contains(shape) || !isLater) return false;
      if (depthOf(shape.getBoundingClientRect(), box) < 1.5) return false;
      const back = shape.getScreenCTM()?.inverse();
      const hit = placesOn(box).filter(
        (at) => back && shape.isPointInFill(at.matrixTransform(back)),
      );
      return hit.length > 0;
    });
    return over
      ? [{ kind: 'overlap' as const, where: nameOf(owner), text, other: nameOf(over) }]
      : [];
  });
}

/** Words of the page outside the border or the fill that surrounds them. */
function leavingBorders(words: readonly Words[]): Flaw[] {
  return words.flatMap(({ owner, text, box }) => {
    if (owner.closest('svg, canvas')) return [];
    let at: Element | null = owner;
    for (; at && at !== document.body; at = at.parentElement) {
      const style = getComputedStyle(at);
      const isBoxed =
        Number.parseFloat(style.borderLeftWidth) > 0 &&
        Number.parseFloat(style.borderRightWidth) > 0;
      if (/auto|scroll/.test(style.overflowX + style.overflowY)) return [];
      if (isBoxed || (!/, 0\)$/.test(style.backgroundColor) && style.display !== 'inline')) break;
    }
    if (!at || at === document.body) return [];
    const own = at.getBoundingClientRect();
    const far = Math.max(
      own.left - box.left,
      box.right - own.right,
      own.top - box.top,
      box.bottom - own.bottom,
    );
    return far > 1
      ? [
          {
            kind: 'leaves' as const,
            where: nameOf(owner),
            text,
            other: `${nameOf(at)} by ${far.toFixed(1)}`,
          },
        ]
      : [];
  });
}

function coveredControls(words: readonly Words[]): Flaw[] {
  const kinds =
    'button, a[href], input:not([type=hidden]), select, textarea, summary, [role=tab], [role=slider], [role=button]';
  const controls = [...document.querySelectorAll<HTMLElement>(kinds)]
    .filter(
      (element) =>
        isSeen(element) &&
        !element.closest('svg') &&
        getComputedStyle(element).pointerEvents !== 'none',
    )
    .flatMap((element) => {
      const full = element.getBoundingClientRect();
      const { seen } = clipped(element, full);
      const all = area(full) < 120 || area(seen) < 0.5 * area(full);
      return all ? [] : [{ element, box: seen }];
    });
  const flaws: Flaw[] = [];
  controls.forEach(({ element, box }, index) => {
    const label = (element.getAttribute('aria-label') ?? element.textContent ?? '')
      .trim()
      .slice(0, 60);
    if (isUnderneath(element, box)) return;
    for (const other of controls.slice(index + 1)) {
      if (element.contains(other.element) || other.element.contains(element)) continue;
      if (layerOf(element) !== layerOf(other.element)) continue;
      if (element.closest('label') && element.closest('label') === other.element.closest('label'))
        continue;
      if (depthOf(box, other.box) > 2 && !isUnderneath(other.element, other.box)) {
        flaws.push({
          kind: 'covered',
          where: nameOf(element),
          text: label,
          other: nameOf(other.element),
        });
      }
    }
    const inlineLink = getComputedStyle(element).display === 'inline';
    const bar = stayingBar(element);
    for (const { owner, text, box: at } of words) {
      if (
        inlineLink ||
        element.contains(owner) ||
        owner.contains(element) ||
        owner.closest('svg, canvas') ||
        layerOf(owner) !== layerOf(element) ||
        (bar && !bar.contains(owner))
      )
        continue;
      if (owner.closest('label')?.contains(element) || depthOf(box, at) <= 1.5) continue;
      flaws.push({
        kind: 'covered',
        where: nameOf(element),
        text: label,
        other: `${text} (${nameOf(owner)})`,
      });
    }
  });
  return flaws;
}

/** Names of the program instead of words: "second purge: false", "1 us". */
function rawWords(words: readonly Words[]): Flaw[] {
  const raw =
    /: (?:true|false)\b|\d us\b|\bundefined\b|\bNaN\b|\[object|\d = \w+, \d = \w+|none, none/;
  return words.flatMap(({ owner, text }) =>
    raw.test(text) && !owner.closest('pre, code, textarea')
      ? [{ kind: 'raw' as const, where: nameOf(owner), text, other: '' }]
      : [],
  );
}

/** Everything on the page that a reader would stumble over, as it stands now. */
function flawsOfPage(): Flaw[] {
  const flaws: Flaw[] = [];
  const words = wordsOf(flaws);
  const { scrollWidth, clientWidth } = document.documentElement;
  if (scrollWidth > clientWidth) {
    flaws.push({
      kind: 'wide',
      where: 'page',
      text: `${scrollWidth} px in ${clientWidth}`,
      other: '',
    });
  }
  flaws.push(...overlapsIn(words), ...paintedOver(words));
  flaws.push(...leavingBoxes(words), ...leavingBorders(words));
  flaws.push(...coveredControls(words), ...rawWords(words));
  return flaws;
}

const PARTS = [
  meet,
  depthOf,
  inkOf,
  isSeen,
  nameOf,
  clipped,
  area,
  isUnderneath,
  layerOf,
  stayingBar,
  linesOf,
  wordsOf,
  canvasWords,
  tornIn,
  overlapsIn,
  isDrawnBox,
  leavingBoxes,
  placesOn,
  paintedOver,
  leavingBorders,
  coveredControls,
  rawWords,
  flawsOfPage,
];

/** To run in the page before anything else of it. */
export const BEFORE = `(${noteCanvasWords})()`;

/** An expression whose value, in the page, is the list of its flaws. */
export const FLAWS = `(() => { ${PARTS.join('\n')}; return flawsOfPage(); })()`;
