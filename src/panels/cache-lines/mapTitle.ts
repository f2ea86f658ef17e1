import { integer } from '../../base/format';
import { MAP_TOKENS, type PlacedMap } from '../../draw/coherence/map';
import { LINE_STATES, STATE_NAMES } from '../../draw/state-cell';
import type { Brush } from '../../widgets/CanvasView';

const SQUARE = 6;

/** Title of a cache's map with the number of lines in each state; also its legend. */
export function mapTitle(
  { context, color }: Brush,
  title: string,
  counts: readonly number[],
  { x, y, width }: PlacedMap,
): void {
  const baseline = y - 5;
  const write = (text: string, at: number, tone: string, font: string): number => {
    context.font = font;
    context.fillStyle = color(tone);
    context.fillText(text, at, baseline);
    return at + context.measureText(text).width;
  };
  const small = `400 10.5px ${color('--font-tight')}`;
  let at = write(title, x, '--ink-1', `600 11px ${color('--font-ui')}`) + 8;
  LINE_STATES.forEach((state, code) => {
    const amount = counts[code] ?? 0;
    if (state === 'invalid' || amount === 0) return;
    const full = `${integer(amount)} ${STATE_NAMES[state]}`;
    context.font = small;
    const room = Math.max(x + width, x + 200) - at - SQUARE - 3;
    const text = context.measureText(full).width <= room ? full : integer(amount);
    context.fillStyle = color(MAP_TOKENS[code] ?? '--line-1');
    context.fillRect(at, baseline - SQUARE, SQUARE, SQUARE);
    at = write(text, at + SQUARE + 3, '--ink-2', small) + 8;
  });
}
