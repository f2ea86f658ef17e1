/**
 * A panel as one drawing, whatever it consists of: its drawings and canvases as shapes, its text word for word where it
 * stands, grounds and rules as rectangles. What is scrolled out of sight is left out.
 */
import { canvasShapes } from './canvas-svg';
import { download, fileName } from './download';
import { fontRules, savePngOf, standalone } from './svg-file';

const NAMESPACE = 'http://www.w3.org/2000/svg';

function element(name: string, attributes: Readonly<Record<string, string | number>>): SVGElement {
  const made = document.createElementNS(NAMESPACE, name) as SVGElement;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  return made;
}

interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** As an object of its own: the edges of a DOMRect are not copied with it. */
function boxOf(of: Element | Range): Box {
  const { left, top, right, bottom } = of.getBoundingClientRect();
  return { left, top, right, bottom };
}

/** The part of a box inside another; null if there is none. */
function within(box: Box, sheet: Box): Box | null {
  const left = Math.max(box.left, sheet.left);
  const top = Math.max(box.top, sheet.top);
  const right = Math.min(box.right, sheet.right);
  const bottom = Math.min(box.bottom, sheet.bottom);
  return right > left && bottom > top ? { left, top, right, bottom } : null;
}

const TRANSPARENT = /^(?:transparent|rgba\(.*, 0\))$/;
const isSeen = (color: string): boolean => !TRANSPARENT.test(color);

class PanelPicture {
  readonly root: SVGElement;
  readonly #origin: Box;

  constructor(panel: HTMLElement) {
    this.#origin = boxOf(panel);
    const { left, top, right, bottom } = this.#origin;
    const [w, h] = [Math.ceil(right - left), Math.ceil(bottom - top)];
    this.root = element('svg', { width: w, height: h, viewBox: `0 0 ${w} ${h}` });
    const sheet = getComputedStyle(panel).getPropertyValue('--sheet').trim();
    this.root.append(element('rect', { width: w, height: h, fill: sheet }));
    this.#element(panel, this.#origin);
  }

  #rect({ left, top, right, bottom }: Box, fill: string): void {
    const at = { x: left - this.#origin.left, y: top - this.#origin.top };
    this.root.append(element('rect', { ...at, width: right - left, height: bottom - top, fill }));
  }

  #element(node: Element, sheet: Box): void {
    const style = getComputedStyle(node);
    if (style.display === 'none' || style.visibility === 'hidden' || style.opacity === '0') return;
    const box = boxOf(node);
    const shown = within(box, sheet);
    // A box without a size may have children that have one.
    if (!shown && box.right > box.left && box.bottom > box.top && style.overflow !== 'visible')
      return;
    // Words for screen readers alone.
    if (box.right - box.left <= 1 && box.bottom - box.top <= 1 && style.overflow !== 'visible')
      return;
    if (shown) this.#ground(box, shown, style);
    if (node instanceof SVGSVGElement) this.#drawing(standalone(node), box);
    else if (node instanceof HTMLCanvasElement) this.#canvas(node, box);
    else if (node instanceof HTMLInputElement || node instanceof HTMLSelectElement)
      this.#value(node, style, box);
    else this.#children(node, style, style.overflow === 'visible' ? sheet : (shown ?? sheet));
  }

  #children(node: Element, style: CSSStyleDeclaration, sheet: Box): void {
    for (const child of node.childNodes) {
      if (child instanceof Element) this.#element(child, sheet);
      else if (child instanceof Text) this.#text(child, style, sheet);
    }
  }

  #canvas(canvas: HTMLCanvasElement, box: Box): void {
    const shapes = canvasShapes(canvas);
    if (shapes) this.#drawing(shapes, box);
  }

  #ground(box: Box, shown: Box, style: CSSStyleDeclaration): void {
    if (isSeen(style.backgroundColor)) this.#rect(shown, style.backgroundColor);
    const { left, top, right, bottom } = box;
    const sides = [
      ['Top', (wide: number) => ({ left, right, top, bottom: top + wide })],
      ['Bottom', (wide: number) => ({ left, right, top: bottom - wide, bottom })],
      ['Left', (wide: number) => ({ left, right: left + wide, top, bottom })],
      ['Right', (wide: number) => ({ left: right - wide, right, top, bottom })],
    ] as const;
    for (const [side, edge] of sides) {
      const wide = Number.parseFloat(style[`border${side}Width`]);
      const color = style[`border${side}Color`];
      const line =
        wide > 0 && style[`border${side}Style`] !== 'none' ? within(edge(wide), shown) : null;
      if (line && isSeen(color)) this.#rect(line, color);
    }
  }

  #drawing(drawing: Element, { left, top, right, bottom }: Box): void {
    drawing.setAttribute('x', String(left - this.#origin.left));
    drawing.setAttribute('y', String(top - this.#origin.top));
    drawing.setAttribute('width', String(right - left));
    drawing.setAttribute('height', String(bottom - top));
    this.root.append(drawing);
  }

  #value(field: HTMLInputElement | HTMLSelectElement, style: CSSStyleDeclaration, box: Box): void {
    const text = field instanceof HTMLSelectElement ? field.selectedOptions[0]?.text : field.value;
    if (!text || (field instanceof HTMLInputElement && /^(?:radio|checkbox)$/.test(field.type)))
      return;
    const left = box.left + Number.parseFloat(style.paddingLeft);
    this.#words(text, style, { ...box, left });
  }

  /** Word by word, so that each line of a paragraph stands where the page broke it. */
  #text(node: Text, style: CSSStyleDeclaration, sheet: Box): void {
    const range = document.createRange();
    const lines: { words: string; box: Box }[] = [];
    for (const { index, 0: word } of node.data.matchAll(/\S+/g)) {
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      const box = boxOf(range);
      if (box.right === box.left) continue;
      const line = lines.at(-1);
      if (line && Math.abs(line.box.top - box.top) < 2) {
        line.words += ` ${word}`;
        line.box = { ...line.box, right: box.right };
      } else lines.push({ words: word, box });
    }
    for (const { words, box } of lines) if (within(box, sheet)) this.#words(words, style, box);
  }

  #words(text: string, style: CSSStyleDeclaration, { left, top, bottom }: Box): void {
    const size = Number.parseFloat(style.fontSize);
    const made = element('text', {
      x: left - this.#origin.left,
      // The letters stand in the middle of their line.
      y: (top + bottom) / 2 - this.#origin.top + size * 0.35,
      fill: style.color,
      'font-family': style.fontFamily,
      'font-size': style.fontSize,
      'font-weight': style.fontWeight,
      'font-style': style.fontStyle,
      'letter-spacing': style.letterSpacing,
    });
    made.textContent = style.textTransform === 'uppercase' ? text.toUpperCase() : text;
    this.root.append(made);
  }
}

/** The first family of each text. */
const familiesIn = (drawing: SVGElement): Set<string> =>
  new Set(
    [...drawing.querySelectorAll('[font-family]')].map(
      (text) => text.getAttribute('font-family')?.split(',')[0]?.replaceAll('"', '').trim() ?? '',
    ),
  );

/** Saves a panel as it is seen now, in a file that needs nothing else. */
export async function savePanel(
  panel: HTMLElement,
  as: 'svg' | 'png',
  title: string,
): Promise<void> {
  const { root } = new PanelPicture(panel);
  const style = element('style', {});
  style.textContent = await fontRules(familiesIn(root));
  root.prepend(style);
  root.setAttribute('xmlns', NAMESPACE);
  const text = new XMLSerializer().serializeToString(root);
  if (as === 'svg') return download(`${fileName(title)}.svg`, text, 'image/svg+xml');
  const [width, height] = [root.getAttribute('width'), root.getAttribute('height')].map(Number);
  await savePngOf(text, { width: width ?? 0, height: height ?? 0 }, title);
}
