/**
 * What a step of a lesson shows: "@ 1063.2 ns cpu bus zoom 0 us..2.5 us panel why" is a time, parts, an interval of the
 * lanes and a panel.
 */
import { timeOf } from './time-of';

export interface Scene {
  readonly timePs: number;
  /** Names of the parts that are marked. */
  readonly parts: readonly string[];
  /** Interval that the lanes show, in picoseconds. */
  readonly zoom: readonly [from: number, to: number] | null;
  readonly panel: string | null;
}

const TIME = '[\\d.]+ [a-zµ]+';
const SCENE = new RegExp(
  `^@ (${TIME})((?: [\\w-]+)*?)(?: zoom (${TIME})\\.\\.(${TIME}))?(?: panel ([\\w-]+))?$`,
  'u',
);

/** Null if the line is no scene. */
export function sceneOf(line: string): Scene | null {
  const match = SCENE.exec(line.trim());
  if (!match) return null;
  const [, time = '', parts = '', from, to, panel = null] = match;
  const timePs = timeOf(time);
  const ends = [from, to].map((end) => (end === undefined ? null : timeOf(end)));
  const [fromPs = null, toPs = null] = ends;
  if (timePs === null || (from !== undefined && (fromPs === null || toPs === null))) return null;
  return {
    timePs,
    parts: parts.split(' ').filter(Boolean),
    zoom: fromPs === null || toPs === null ? null : [fromPs, toPs],
    panel,
  };
}
