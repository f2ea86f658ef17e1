/** The chart as files: figures as CSV, drawing as SVG and PNG. */

import type { LabPlan } from '../../model/lab/plan';
import { isStale, type RunSet } from '../../model/lab/runs';
import { experimentCsv } from '../../model/report/export';
import { pointsOf } from '../../model/scenario/experiment';
import { download, fileName } from '../../widgets/download';

/** One row for each finished run of the table. */
function tableCsv(plan: LabPlan, runs: RunSet): string {
  const counters: (readonly Float64Array[] | null)[] = [];
  for (const run of runs.runs.values())
    if (run.point !== null && !isStale(runs, run)) counters[run.point] = run.counters;
  const points = pointsOf(plan.scenario);
  return experimentCsv(
    plan.scenario,
    points,
    points.map(({ index }) => counters[index] ?? null),
  );
}

export function saveCsv(plan: LabPlan, runs: RunSet): void {
  download(`${fileName(plan.scenario.title)}.csv`, tableCsv(plan, runs), 'text/csv');
}

/** Style properties that are copied; everything else is in attributes. */
const LOOKS = [
  'fill',
  'fill-opacity',
  'stroke',
  'stroke-width',
  'stroke-dasharray',
  'stroke-linejoin',
  'opacity',
  'paint-order',
  'text-anchor',
  'font-family',
  'font-size',
  'font-weight',
] as const;

/** A copy that needs no style sheet: each element has its own style, controls are left out. */
function standalone(drawing: SVGSVGElement): SVGSVGElement {
  const copy = drawing.cloneNode(true) as SVGSVGElement;
  const originals = drawing.querySelectorAll<SVGElement>('*');
  const copies = copy.querySelectorAll<SVGElement>('*');
  originals.forEach((original, index) => {
    const style = getComputedStyle(original);
    const target = copies[index];
    for (const name of LOOKS) target?.setAttribute(name, style.getPropertyValue(name));
    for (const name of ['class', 'tabindex', 'role', 'style']) target?.removeAttribute(name);
  });
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
  copy.prepend(sheet);
  return copy;
}

/** The fonts of the drawing, embedded so that it looks the same everywhere. */
async function faces(family: string): Promise<string> {
  const rules: string[] = [];
  for (const sheet of document.styleSheets) {
    for (const rule of sheet.cssRules) {
      if (!(rule instanceof CSSFontFaceRule)) continue;
      if (!rule.style.getPropertyValue('font-family').includes(family)) continue;
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

const dataUrl = (file: Blob): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });

async function svgText(drawing: SVGSVGElement): Promise<string> {
  const copy = standalone(drawing);
  const style = document.createElementNS('http://www.w3.org/2000/svg', 'style');
  style.textContent = await faces('IBM Plex Sans Condensed');
  copy.prepend(style);
  return new XMLSerializer().serializeToString(copy);
}

export async function saveSvg(drawing: SVGSVGElement, title: string): Promise<void> {
  download(`${fileName(title)}.svg`, await svgText(drawing), 'image/svg+xml');
}

/** Scale of the PNG, for slides. */
const PNG_SCALE = 2;

export async function savePng(drawing: SVGSVGElement, title: string): Promise<void> {
  const { width, height } = drawing.viewBox.baseVal;
  const image = new Image();
  image.src = await dataUrl(new Blob([await svgText(drawing)], { type: 'image/svg+xml' }));
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = width * PNG_SCALE;
  canvas.height = height * PNG_SCALE;
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
  if (blob) download(`${fileName(title)}.png`, blob, 'image/png');
}
