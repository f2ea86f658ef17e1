/**
 * An exploration as rings around the initial state: one for each number of transitions, darker where more states were
 * found. The outermost ring is dashed while states wait in it. A violation is a red path from the middle outwards, each
 * transition in the direction of its choice.
 */
import { count, integer } from '../../base/format';
import { circle, path, polyline, type Shape, words } from '../shape';

interface Point {
  readonly distance: number;
  readonly states: number;
  readonly waiting: number;
}

export interface SearchRings {
  readonly points: readonly Point[];
  /** Choices of the shortest path to a violation; null while there is none. */
  readonly violation: readonly number[] | null;
}

interface Sheet {
  readonly width: number;
  readonly height: number;
}

const MARGIN = 6;
/** Rings closer than this are drawn as one. */
const LEAST_STEP = 2.2;
/** Turn of the path per choice: the golden angle, so that equal choices do not lie on one another. */
const TURN = 2.39996;
/** Width of the words beside the rings. */
const WORDS = 112;

interface Ring {
  readonly inner: number;
  readonly radius: number;
  /** States found in it, per transition. */
  readonly states: number;
}

/** Between two rings. */
const GAP = 0.8;

/** A point for each transition; those between two reports lie on a line. */
function everyTransition(points: readonly Point[]): Point[] {
  let before = { distance: 0, states: 0 };
  return points.flatMap((point) => {
    const [from, span] = [before, point.distance - before.distance];
    before = point;
    return Array.from({ length: Math.max(0, span) }, (_, at) => ({
      ...point,
      distance: from.distance + at + 1,
      states: from.states + ((point.states - from.states) * (at + 1)) / span,
    }));
  });
}

/** Rings from the inside out; neighbours share one where there are many. */
function ringsOf(points: readonly Point[], radius: number): Ring[] {
  const deepest = Math.max(1, points.at(-1)?.distance ?? 1);
  const together = Math.max(1, Math.ceil((LEAST_STEP * deepest) / radius));
  const rings: Ring[] = [];
  let before = { distance: 0, states: 0 };
  for (let from = 0; from < points.length; from += together) {
    const last = points[Math.min(from + together, points.length) - 1];
    if (!last) break;
    const [inner, outer] = [before.distance, last.distance].map((at) => (radius * at) / deepest);
    if (inner === undefined || outer === undefined || outer <= inner) continue;
    const states = (last.states - before.states) / (last.distance - before.distance);
    rings.push({ inner: inner > 0 ? inner + GAP : 0, radius: outer, states });
    before = last;
  }
  return rings;
}

/** Where the path to the violation is after each transition. */
function pathOf(choices: readonly number[], radius: number, middle: readonly [number, number]) {
  const [x, y] = middle;
  let angle = -Math.PI / 2;
  return choices.map((choice, step) => {
    // Later transitions turn less, so that the path leads outwards.
    angle += Math.sin((choice + 1) * TURN) / (1 + step / 3);
    const far = (radius * (step + 1)) / choices.length;
    return [x + far * Math.cos(angle), y + far * Math.sin(angle)] as const;
  });
}

export function searchRings({ points, violation }: SearchRings, { width, height }: Sheet): Shape[] {
  const radius = height / 2 - MARGIN;
  const middle = [radius + MARGIN, height / 2] as const;
  const [x, y] = middle;
  const last = points.at(-1);
  if (!last) return [circle(x, y, 3, 'ink2f'), circle(x, y, radius, 'ghost')];
  const rings = ringsOf(everyTransition(points), radius);
  const most = Math.max(1, ...rings.map(({ states }) => states));
  const bands = rings.flatMap((ring): Shape[] => {
    const disc = (r: number) =>
      `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`;
    // A root shows small rings beside those with thousands of times as many states.
    const tone = 0.12 + 0.6 * Math.sqrt(ring.states / most);
    return [path(disc(ring.radius) + disc(ring.inner), 'ink3f even', tone)];
  });
  const steps = violation ? pathOf(violation, radius, middle) : [];
  const end = steps.at(-1);
  const way: Shape[] = end
    ? [
        path(polyline([x, y, ...steps.flat()], false), 'bad-line'),
        ...steps.map(([px, py]) => circle(px, py, 2.5, 'badf')),
        path(`M${end[0] - 4} ${end[1] - 4}l8 8m0 -8l-8 8`, 'bad-line'),
      ]
    : [];
  const left = Math.max(2 * (radius + MARGIN) + 8, width - WORDS);
  return [
    ...bands,
    circle(x, y, radius + 2, last.waiting > 0 ? 'ghost' : 'thin'),
    circle(x, y, 2.5, 'part'),
    ...way,
    words(left, y - 20, `${integer(last.states)} states`, 't11 b6'),
    words(left, y - 4, `${integer(last.waiting)} to explore`, 't11 acc'),
    words(left, y + 12, `${count(last.distance, 'transition')} deep`, 't11 i2'),
    words(left, y + 28, end ? 'the shortest violation' : '', 't11 tbad'),
  ];
}
