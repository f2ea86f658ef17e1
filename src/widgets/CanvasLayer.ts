import type { Brush } from './CanvasView';

/** A part of a canvas that is painted once, and copied in each frame until something that it shows changes. */
export class CanvasLayer {
  #shown: readonly unknown[] = [];
  #canvas: HTMLCanvasElement | null = null;

  /** `keys` are what the layer shows. A brush that draws on no canvas paints at once. */
  draw(brush: Brush, keys: readonly unknown[], paint: (brush: Brush) => void): void {
    const copied = brush.path ? null : this.#painted(brush, [brush, ...keys], paint);
    if (copied)
      brush.context.drawImage(
        copied,
        0,
        0,
        copied.width / brush.ratio,
        copied.height / brush.ratio,
      );
    else paint(brush);
  }

  #painted(brush: Brush, shows: readonly unknown[], paint: (brush: Brush) => void) {
    this.#canvas ??= document.createElement('canvas');
    const context = this.#canvas.getContext('2d');
    if (!context) return null;
    if (shows.length === this.#shown.length && shows.every((key, at) => key === this.#shown[at]))
      return this.#canvas;
    this.#shown = shows;
    // Setting the size clears it.
    this.#canvas.width = brush.context.canvas.width;
    this.#canvas.height = brush.context.canvas.height;
    context.setTransform(brush.ratio, 0, 0, brush.ratio, 0, 0);
    paint({ ...brush, context });
    return this.#canvas;
  }
}
