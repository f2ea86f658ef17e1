/**
 * The gain of the second processor for each application over the number of passes per packet: alone, and
 * beside a task. Published gains are marked.
 */
import { signedPercent } from '../../base/format';
import type { RunTable } from '../../model/lab/run-table';
import { figure } from '../../model/published/published';
import type { Axis, Value } from '../../model/scenario/scenario-types';
import { linearAxis } from '../axis';
import { circle, line, path, polyline, type Shape, words } from '../shape';
import { widthOf } from '../text-width';
import { gainAxisShapes } from './gain-axis';

interface GainPoint {
  readonly passes: number;
  /** In per cent; null while a run is missing. */
  readonly gain: number | null;
  /** The better design of the two: packets per per cent. */
  readonly packets: number;
}

interface ApplicationCurve {
  readonly title: string;
  readonly points: readonly GainPoint[];
  readonly published: readonly { readonly passes: number; readonly gain: number }[];
}

export interface ApplicationGains {
  readonly title: string;
  readonly curves: readonly ApplicationCurve[];
}

/** Figures of the paper: alone and once, alone and twice, beside a task and once. */
const PUBLISHED: Readonly<Record<string, readonly (string | null)[]>> = {
  crc: [null, 'soc.crc.double', 'soc.crc.extra'],
  md5: [null, 'soc.md5.double', 'soc.md5.extra'],
  des: ['soc.heavy.equal.des', 'soc.heavy.equal.des_twice', 'soc.heavy.equal.des_task'],
  huffman: [
    'soc.heavy.equal.huffman',
    'soc.heavy.equal.huffman_twice',
    'soc.heavy.equal.huffman_task',
  ],
};

const publishedGain = (id: string | null | undefined, passes: number) => {
  const known = id ? figure(id) : undefined;
  return known ? [{ passes, gain: (known.value - 1) * 100 }] : [];
};

function publishedOf(application: Value, isAlone: boolean): ApplicationCurve['published'] {
  const [once, twice, task] = PUBLISHED[String(application)] ?? [];
  return isAlone ? [...publishedGain(once, 1), ...publishedGain(twice, 2)] : publishedGain(task, 1);
}

/** Null for an experiment that does not compare applications over passes. */
export function applicationGains({ axes, rows }: RunTable): readonly ApplicationGains[] | null {
  const named = (name: string): Axis | undefined => axes.find((axis) => axis.name === name);
  const [passes, applications] = [named('passes'), named('application')];
  const [published, designs] = [named('beside'), named('design')];
  if (!passes || !applications || !published || !designs) return null;
  const packetsAt = (at: Readonly<Record<string, Value | undefined>>): number =>
    rows.find(({ point }) => Object.entries(at).every(([name, value]) => point.at[name] === value))
      ?.values[0] ?? 0;
  const pointAt = (application: Value, other: Value, times: Value): GainPoint => {
    const at = { application, beside: other, passes: times };
    const one = packetsAt({ ...at, design: designs.values[0] });
    const two = packetsAt({ ...at, design: designs.values[1] });
    const gain = one > 0 && two > 0 ? (two / one - 1) * 100 : null;
    return { passes: Number(times), gain, packets: Math.max(one, two) };
  };
  return published.values.map((other, i) => ({
    title: published.titles[i] ?? String(other),
    curves: applications.values.map((application, j) => ({
      title: applications.titles[j] ?? String(application),
      points: passes.values.map((times) => pointAt(application, other, times)),
      published: publishedOf(application, i === 0),
    })),
  }));
}

const LEFT = 44;
const RIGHT = 62;
const TOP = 26;
const BOTTOM = 36;
const LINES = ['flow', 'heavy', 'thin', 'thin'];
const DOTS = ['accf', 'inkf', 'ink3f', 'ink3f'];
const WORDS = ['t11 b6 acc', 't11 b6', 't11 i2', 't11 i2'];
const LABEL = 13;

/** One scale for all sheets, so that they can be compared. */
export function gainRange(sheets: readonly ApplicationGains[]): readonly [number, number] {
  const all = sheets.flatMap(({ curves }) =>
    curves.flatMap(({ points, published }) => [...points, ...published]),
  );
  const gains = all.map(({ gain }) => gain ?? 0);
  return [Math.min(-10, ...gains) - 4, Math.max(10, ...gains) + 6];
}

/** Names of curves at their right ends, moved apart where they would overlap. */
function nameShapes({ curves }: ApplicationGains, x: number, y: (gain: number) => number): Shape[] {
  const named = curves.map(({ title, points }, i) => ({
    title,
    i,
    at: y(points.findLast(({ gain }) => gain !== null)?.gain ?? 0),
  }));
  let last = Number.NEGATIVE_INFINITY;
  return named
    .toSorted((one, other) => one.at - other.at)
    .map(({ title, i, at }) => {
      last = Math.max(at, last + LABEL);
      return words(x, last + 3.5, title, WORDS[i] ?? '');
    });
}

export function gainShapes(
  sheet: ApplicationGains,
  range: readonly [number, number],
  width: number,
  height: number,
): Shape[] {
  const [low, high] = range;
  const [right, base] = [width - RIGHT, height - BOTTOM];
  const times = sheet.curves[0]?.points.map(({ passes }) => passes) ?? [];
  const x = linearAxis(Math.min(...times), Math.max(...times), LEFT + 14, right - 10);
  const y = linearAxis(low, high, base, TOP);
  const shapes = gainAxisShapes(y, { left: LEFT, right, top: TOP, base });
  for (const passes of times)
    shapes.push(
      line(x.at(passes), base, x.at(passes), base + 4, 'thin'),
      words(x.at(passes), base + 16, String(passes), 't10 i2 mid'),
    );
  const below = 'times over each packet';
  if (right - LEFT > widthOf(below, 11))
    shapes.push(words((LEFT + right) / 2, base + 30, below, 't11 i2 mid'));
  shapes.push(words(LEFT, TOP - 12, sheet.title, 't11 b6'));
  sheet.curves.forEach(({ points, published }, i) => {
    const known = points.filter(({ gain }) => gain !== null);
    const xy = known.flatMap(({ passes, gain }) => [x.at(passes), y.at(gain ?? 0)]);
    if (known.length > 1) shapes.push(path(polyline(xy, false), LINES[i] ?? ''));
    for (const { passes, gain } of known)
      shapes.push(circle(x.at(passes), y.at(gain ?? 0), 2.6, DOTS[i] ?? ''));
    for (const { passes, gain } of published)
      shapes.push(circle(x.at(passes), y.at(gain), 5.6, LINES[i] ?? ''));
  });
  return [...shapes, ...nameShapes(sheet, right + 6, (gain) => y.at(gain))];
}

/** Each curve in words, with the worth of one packet if there are few. */
export function gainSentences(sheets: readonly ApplicationGains[]): string[] {
  return sheets.flatMap(({ title, curves }) =>
    curves.map((curve) => {
      const points = curve.points.map(({ passes, gain, packets }) => {
        const times = ['once', 'twice'][passes - 1] ?? `${passes} times`;
        const few = packets < 50 ? `, of ${packets} packets` : '';
        const known = curve.published.find((one) => one.passes === passes);
        const beside = known ? `, published ${signedPercent(known.gain)}` : '';
        const made = gain === null ? 'not run yet' : `${signedPercent(gain)}${few}`;
        return `${times} ${made}${beside}`;
      });
      return `${curve.title}, ${title}: ${points.join('; ')}.`;
    }),
  );
}
