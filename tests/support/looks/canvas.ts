/** The words on canvases, which are not in the DOM. */
import type { Box } from './boxes';

interface CanvasWords {
  readonly text: string;
  /** Height of the font in pixels of the page. */
  readonly size: number;
  readonly box: Box;
}

export type WithWords = HTMLCanvasElement & { words?: CanvasWords[] };

/** Records the words painted on canvases, because the DOM does not have them. To run before the page. */
export function noteCanvasWords(): void {
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
    // A word that crosses the playhead is written twice in its place, in the ink of either side.
    const isThere = (one: CanvasWords) =>
      one.text === text && one.box.left === box.left && one.box.top === box.top;
    const scale = this.getTransform().d / (devicePixelRatio || 1);
    const size = Number.parseFloat(/([\d.]+)px/.exec(this.font)?.[1] ?? '0') * scale;
    if (!list.some(isThere)) list.push({ text, box, size });
    return most === undefined
      ? fillText.call(this, text, x, y)
      : fillText.call(this, text, x, y, most);
  };
}
