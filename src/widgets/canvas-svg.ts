/** What a canvas shows as an SVG file: its painter draws once more, with a pen that makes elements. */
import { type Brush, painterOf } from './CanvasView';
import { download, fileName } from './download';
import { fontRules } from './svg-file';

const NAMESPACE = 'http://www.w3.org/2000/svg';
type Attributes = Readonly<Record<string, string | number>>;

function element(name: string, attributes: Attributes): SVGElement {
  const made = document.createElementNS(NAMESPACE, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  return made;
}

/** Widths of texts as the canvas would write them. */
type Measure = (text: string, font: string) => number;

/** A path by its data, which a canvas does not give back. */
interface Path {
  readonly data: string;
}

const INITIAL = {
  fillStyle: '#000',
  strokeStyle: '#000',
  globalAlpha: 1,
  lineWidth: 1,
  lineJoin: 'miter',
  font: '',
  textAlign: 'left',
};

const ANCHORS: Readonly<Record<string, string>> = { center: 'middle', right: 'end' };

/** The part of a canvas's context that painters of lanes use. */
class SvgPen {
  readonly root: SVGElement;
  readonly defs = element('defs', {});
  fillStyle = INITIAL.fillStyle;
  strokeStyle = INITIAL.strokeStyle;
  globalAlpha = INITIAL.globalAlpha;
  lineWidth = INITIAL.lineWidth;
  lineJoin = INITIAL.lineJoin;
  font = INITIAL.font;
  textAlign = INITIAL.textAlign;
  textBaseline = 'alphabetic';
  #group: SVGElement;
  #data = '';
  #dash: readonly number[] = [];
  readonly #saved: { group: SVGElement; looks: Partial<SvgPen>; dash: readonly number[] }[] = [];

  constructor(
    width: number,
    height: number,
    private readonly measure: Measure,
  ) {
    const size = { width, height, viewBox: `0 0 ${width} ${height}` };
    this.root = element('svg', { xmlns: NAMESPACE, ...size });
    this.root.append(this.defs);
    this.#group = this.root;
  }

  /** The fill of a hatch: its strokes on a ground. */
  hatch(stroke: string, ground: string): string {
    const id = `h${[...`${stroke}${ground}`].map((one) => one.charCodeAt(0).toString(36)).join('')}`;
    if (!this.defs.querySelector(`#${id}`)) {
      const size = { width: 4, height: 4, patternUnits: 'userSpaceOnUse' };
      const pattern = element('pattern', { id, ...size });
      pattern.append(
        element('rect', { width: 4, height: 4, fill: ground }),
        element('path', { d: 'M-1 5L5 -1M-1 1L1 -1M3 5L5 3', stroke, 'stroke-width': 1 }),
      );
      this.defs.append(pattern);
    }
    return `url(#${id})`;
  }

  save(): void {
    const looks: Partial<SvgPen> = {};
    for (const name of Object.keys(INITIAL) as (keyof typeof INITIAL)[])
      Object.assign(looks, { [name]: this[name] });
    this.#saved.push({ group: this.#group, looks, dash: this.#dash });
  }

  restore(): void {
    const last = this.#saved.pop();
    if (!last) return;
    Object.assign(this, last.looks);
    [this.#group, this.#dash] = [last.group, last.dash];
  }

  #into(attributes: Attributes): void {
    const group = element('g', attributes);
    this.#group.append(group);
    this.#group = group;
  }

  clip(): void {
    const id = `c${this.defs.childNodes.length}`;
    const clip = element('clipPath', { id });
    clip.append(element('path', { d: this.#data }));
    this.defs.append(clip);
    this.#into({ 'clip-path': `url(#${id})` });
  }

  translate(x: number, y: number): void {
    this.#into({ transform: `translate(${x} ${y})` });
  }

  rotate(angle: number): void {
    this.#into({ transform: `rotate(${(angle * 180) / Math.PI})` });
  }

  setLineDash(dash: readonly number[]): void {
    this.#dash = dash;
  }

  beginPath(): void {
    this.#data = '';
  }

  moveTo(x: number, y: number): void {
    this.#data += `M${x} ${y}`;
  }

  lineTo(x: number, y: number): void {
    this.#data += `L${x} ${y}`;
  }

  rect(x: number, y: number, width: number, height: number): void {
    this.#data += `M${x} ${y}h${width}v${height}h${-width}z`;
  }

  /** A full circle; painters of lanes draw no others. */
  arc(x: number, y: number, r: number): void {
    this.#data += `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`;
  }

  get #filled(): Attributes {
    return { fill: this.fillStyle, opacity: this.globalAlpha };
  }

  get #stroked(): Attributes {
    const dash = this.#dash.length > 0 ? { 'stroke-dasharray': this.#dash.join(' ') } : {};
    const line = { 'stroke-width': this.lineWidth, 'stroke-linejoin': this.lineJoin };
    return {
      ...{ fill: 'none', stroke: this.strokeStyle, opacity: this.globalAlpha },
      ...line,
      ...dash,
    };
  }

  #add(name: string, attributes: Attributes): SVGElement {
    const made = element(name, attributes);
    this.#group.append(made);
    return made;
  }

  fill(path?: Path): void {
    this.#add('path', { d: path?.data ?? this.#data, ...this.#filled });
  }

  stroke(path?: Path): void {
    this.#add('path', { d: path?.data ?? this.#data, ...this.#stroked });
  }

  fillRect(x: number, y: number, width: number, height: number): void {
    this.#add('rect', { x, y, width, height, ...this.#filled });
  }

  strokeRect(x: number, y: number, width: number, height: number): void {
    this.#add('rect', { x, y, width, height, ...this.#stroked });
  }

  #write(text: string, x: number, y: number, looks: Attributes, most?: number): void {
    const [, weight = '400', size = '11px', family = ''] =
      /^(\d+) ([\d.]+px) (.*)$/.exec(this.font) ?? [];
    const narrow =
      most !== undefined && this.measure(text, this.font) > most ? { textLength: most } : {};
    const font = { 'font-weight': weight, 'font-size': size, 'font-family': family };
    const anchor = { 'text-anchor': ANCHORS[this.textAlign] ?? 'start' };
    const fit = 'textLength' in narrow ? { lengthAdjust: 'spacingAndGlyphs' } : {};
    this.#add('text', { x, y, ...font, ...anchor, ...looks, ...narrow, ...fit }).textContent = text;
  }

  fillText(text: string, x: number, y: number, most?: number): void {
    this.#write(text, x, y, this.#filled, most);
  }

  strokeText(text: string, x: number, y: number): void {
    this.#write(text, x, y, this.#stroked);
  }

  measureText(text: string): { readonly width: number } {
    return { width: this.measure(text, this.font) };
  }
}

/** A brush whose painter makes elements. */
function svgBrush(pen: SvgPen, width: number, height: number, color: Brush['color']): Brush {
  return {
    context: pen as unknown as CanvasRenderingContext2D,
    ...{ width, height, ratio: 1, color },
    path: (data) => ({ data }) as unknown as Path2D,
    hatch: (stroke, ground) => pen.hatch(stroke, ground),
  };
}

const firstFamily = (font: string): string => font.split(',')[0]?.replaceAll('"', '').trim() ?? '';

const tokensOf = (canvas: HTMLCanvasElement) => {
  const tokens = getComputedStyle(canvas);
  return (token: string): string => tokens.getPropertyValue(token).trim();
};

/** What a canvas of the page shows, as elements; null if nothing paints it. */
export function canvasShapes(canvas: HTMLCanvasElement): Element | null {
  const paint = painterOf(canvas);
  const ruler = document.createElement('canvas').getContext('2d');
  if (!paint || !ruler) return null;
  const color = tokensOf(canvas);
  const { clientWidth: width, clientHeight: height } = canvas;
  const pen = new SvgPen(width, height, (text, font) => {
    ruler.font = font;
    return ruler.measureText(text).width;
  });
  pen.fillStyle = color('--bg');
  pen.fillRect(0, 0, width, height);
  paint(svgBrush(pen, width, height, color));
  return pen.root;
}

/** Saves what a canvas shows as an SVG file that needs nothing else. */
export async function saveCanvasAsSvg(canvas: HTMLCanvasElement, title: string): Promise<void> {
  const root = canvasShapes(canvas);
  if (!root) return;
  const color = tokensOf(canvas);
  const families = new Set(['--font-tight', '--font-ui'].map((token) => firstFamily(color(token))));
  const style = element('style', {});
  style.textContent = await fontRules(families);
  root.prepend(style);
  const text = new XMLSerializer().serializeToString(root);
  download(`${fileName(title)}-lanes.svg`, text, 'image/svg+xml');
}
