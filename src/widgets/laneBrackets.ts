/** Paints the brackets over the lanes, between the ruler and the first lane. */
import { BRACKET_FONT, BRACKET_ROW, type PlacedBracket } from '../draw/run/brackets';
import type { Brush } from './CanvasView';
import { laneFont } from './lanePlayhead';

/** Height of the strokes at both ends. */
const END = 7;

export function paintBrackets(
  brush: Brush,
  placed: readonly PlacedBracket[],
  top: number,
  scale: number,
): void {
  const { context, color } = brush;
  context.font = laneFont(brush, BRACKET_FONT * scale, 600);
  context.textAlign = 'left';
  for (const { from, to, row, x, width, text } of placed) {
    const middle = Math.round(top + (row + 0.5) * BRACKET_ROW * scale) + 0.5;
    context.strokeStyle = context.fillStyle = color('--ink-1');
    context.lineWidth = 1.5;
    context.beginPath();
    for (const end of [from, to]) {
      context.moveTo(end, middle - END * scale * 0.5);
      context.lineTo(end, middle + END * scale * 0.5);
    }
    const isInside = text !== '' && x > from && x + width < to;
    for (const [left, right] of isInside
      ? ([
          [from, x - 4],
          [x + width + 4, to],
        ] as const)
      : ([[from, to]] as const)) {
      context.moveTo(left, middle);
      context.lineTo(right, middle);
    }
    context.stroke();
    context.fillText(text, x, middle + 4 * scale);
  }
}
