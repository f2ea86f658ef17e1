/**
 * The chain of causes of an event as arcs: a dot for each event, the oldest at the left, and an arc from each cause to
 * its effect. Long gaps of time have wider arcs, so that it is seen where the time went.
 *
 *          .-------.   .--.
 *         /         v /    v
 *        4           2 .....  1
 */
import { line, path, type Shape } from './shape';

/** Share of the width that is the same for each gap; the rest follows the logarithm of its time. */
const EVEN = 0.6;

interface ChainEvent {
  readonly timePs: number;
}

/** Positions of the events along a width, newest first as they come; the root cause is at the left. */
export function placesOf(chain: readonly ChainEvent[], width: number, margin: number): number[] {
  const room = width - 2 * margin;
  const gaps = chain.slice(1).map(({ timePs }, i) => {
    const later = chain[i]?.timePs ?? timePs;
    return Math.log10(1 + Math.max(0, later - timePs));
  });
  const all = gaps.reduce((sum, gap) => sum + gap, 0);
  const shareOf = (gap: number) => EVEN / gaps.length + (all > 0 ? (1 - EVEN) * (gap / all) : 0);
  const used = all > 0 ? 1 : EVEN;
  let x = width - margin;
  return [x, ...gaps.map((gap) => (x -= (room * shareOf(gap)) / used))];
}

/** Height of an arc for its width. */
const riseOf = (across: number, most: number): number => Math.min(most, 8 + across * 0.32);

/** Arcs from each cause to its effect, each with its tip, over a line of time at `y`. */
export function arcShapes(places: readonly number[], y: number, most: number): Shape[] {
  const [newest = 0, root = 0] = [places[0], places.at(-1)];
  return [
    line(root, y, newest, y, 'rule'),
    ...places.slice(1).flatMap((from, i): Shape[] => {
      const to = places[i] ?? from;
      const rise = riseOf(to - from, most) * (4 / 3);
      const [x, tip] = [(value: number) => Math.round(value * 10) / 10, y - 9];
      return [
        path(
          `M${x(from)} ${tip}C${x(from)} ${x(tip - rise)} ${x(to)} ${x(tip - rise)} ${x(to)} ${tip}`,
          'cause-arc',
        ),
        path(`M${x(to - 3.5)} ${tip - 5}L${x(to)} ${tip}L${x(to + 3.5)} ${tip - 5}`, 'cause-arc'),
      ];
    }),
  ];
}
