/** A drawing of the page as an SVG file that needs nothing else: style, fonts and hatches are in it. */
import { download, fileName } from './download';

/** Style properties that are copied; everything else is in attributes. */
const LOOKS = [
  'fill',
  'fill-opacity',
  'stroke',
  'stroke-width',
  'stroke-dasharray',
  'stroke-linejoin',
  'opacity',
  'marker-start',
  'marker-end',
  'paint-order',
  'text-anchor',
  'font-family',
  'font-size',
  'font-weight',
] as const;

/** Ids that a value refers to: `url("#hwait")`. */
const referredTo = (value: string): string[] =>
  [...value.matchAll(/url\("?#([\w-]+)"?\)/g)].flatMap(([, id = '']) => id);

/** Sets the style of a copied element as attributes; returns the ids that it refers to. */
function setLooks(original: SVGElement, copy: Element | undefined): string[] {
  const style = getComputedStyle(original);
  for (const name of LOOKS) copy?.setAttribute(name, style.getPropertyValue(name));
  for (const name of ['class', 'tabindex', 'role', 'style']) copy?.removeAttribute(name);
  return LOOKS.flatMap((name) => referredTo(style.getPropertyValue(name)));
}

/** Hatches and arrow heads of the page that a drawing refers to. */
function definitions(ids: ReadonlySet<string>): SVGDefsElement {
  const defs = document.createElementNS('http://www.w3.org/2000/svg', 'defs');
  for (const id of ids) {
    const original = document.getElementById(id);
    if (!original) continue;
    const copy = original.cloneNode(true) as SVGElement;
    const [shapes, copies] = [original, copy].map((one) => one.querySelectorAll<SVGElement>('*'));
    shapes?.forEach((shape, index) => {
      copies?.[index]?.setAttribute('fill', getComputedStyle(shape).fill);
    });
    defs.append(copy);
  }
  return defs;
}

/** A copy that needs no style sheet: each element has its own style, controls are left out. */
export function standalone(drawing: SVGSVGElement): SVGSVGElement {
  const copy = drawing.cloneNode(true) as SVGSVGElement;
  const originals = drawing.querySelectorAll<SVGElement>('*');
  const copies = copy.querySelectorAll<SVGElement>('*');
  const ids = new Set<string>();
  const hidden: Element[] = [];
  originals.forEach((original, index) => {
    const target = copies[index];
    for (const id of setLooks(original, target)) ids.add(id);
    const { display, visibility } = getComputedStyle(original);
    if (target && (display === 'none' || visibility === 'hidden')) hidden.push(target);
  });
  for (const element of hidden) element.remove();
  const { width, height } = drawing.viewBox.baseVal;
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  copy.setAttribute('width', String(width));
  copy.setAttribute('height', String(height));
  copy.removeAttribute('style');
  copy.removeAttribute('class');
  const sheet = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
  sheet.setAttribute('width', '100%');
  sheet.setAttribute('height', '100%');
  sheet.setAttribute('fill', getComputedStyle(drawing).getPropertyValue('--sheet').trim());
  copy.prepend(definitions(ids), sheet);
  return copy;
}

/** The first family of each text of a drawing. */
function familiesIn(drawing: SVGSVGElement): Set<string> {
  const texts = [...drawing.querySelectorAll('text')];
  return new Set(
    texts.map((text) => getComputedStyle(text).fontFamily.split(',')[0]?.replaceAll('"', '') ?? ''),
  );
}

/** A font of the drawing, embedded so that it looks the same everywhere. */
async function faces(family: string): Promise<string> {
  const rules: string[] = [];
  for (const sheet of document.styleSheets) {
    for (const rule of sheet.cssRules) {
      if (!(rule instanceof CSSFontFaceRule)) continue;
      if (rule.style.getPropertyValue('font-family').replaceAll('"', '') !== family) continue;
      const url = /url\("?([^")]+)"?\)/.exec(rule.style.getPropertyValue('src'))?.[1];
      if (!url) continue;
      const file = await (await fetch(new URL(url, sheet.href ?? document.baseURI))).blob();
      const weight = rule.style.getPropertyValue('font-weight');
      rules.push(
        `@font-face{font-family:"${family}";font-weight:${weight};src:url(${await dataUrl(file)})}`,
      );
    }
  }
  return rules.join('');
}

/** The fonts of some families, embedded. */
export const fontRules = async (families: ReadonlySet<string>): Promise<string> =>
  (await Promise.all([...families].filter(Boolean).map(faces))).join('');

const dataUrl = (file: Blob): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });

/** The fonts of a drawing's texts, as a style sheet. */
export const fontsOf = (drawing: SVGSVGElement): Promise<string> => fontRules(familiesIn(drawing));

function svgText(drawing: SVGSVGElement, fonts: string): string {
  const copy = standalone(drawing);
  const style = document.createElementNS('http://www.w3.org/2000/svg', 'style');
  style.textContent = fonts;
  copy.prepend(style);
  return new XMLSerializer().serializeToString(copy);
}

export async function saveSvg(drawing: SVGSVGElement, title: string): Promise<void> {
  const text = svgText(drawing, await fontsOf(drawing));
  download(`${fileName(title)}.svg`, text, 'image/svg+xml');
}

/** Scale of the PNG, for slides. */
const PNG_SCALE = 2;

/** Draws what a drawing shows now onto all of a canvas. */
export async function paintSvg(
  drawing: SVGSVGElement,
  fonts: string,
  canvas: HTMLCanvasElement,
): Promise<void> {
  await paintText(svgText(drawing, fonts), canvas);
}

async function paintText(text: string, canvas: HTMLCanvasElement): Promise<void> {
  const image = new Image();
  image.src = await dataUrl(new Blob([text], { type: 'image/svg+xml' }));
  await image.decode();
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
}

export async function savePng(drawing: SVGSVGElement, title: string): Promise<void> {
  const { width, height } = drawing.viewBox.baseVal;
  await savePngOf(svgText(drawing, await fontsOf(drawing)), { width, height }, title);
}

/** Saves the text of an SVG file of a size as PNG. */
export async function savePngOf(
  text: string,
  { width, height }: { readonly width: number; readonly height: number },
  title: string,
): Promise<void> {
  const canvas = document.createElement('canvas');
  canvas.width = width * PNG_SCALE;
  canvas.height = height * PNG_SCALE;
  await paintText(text, canvas);
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
  if (blob) download(`${fileName(title)}.png`, blob, 'image/png');
}
