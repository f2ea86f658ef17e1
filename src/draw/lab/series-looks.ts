/** Distinguishes the series of a lab by hue and line style. */
import type { LabPlan, LabSeries } from '../../model/lab/plan';

const DASHES = ['solid', 'dashed', 'dotted', 'dash and dot', 'long dashes'] as const;
export type Dash = (typeof DASHES)[number];

export interface SeriesStyle {
  /** By number: `--c-1` ... */
  readonly hue: number;
  readonly dash: Dash;
}

/** Hue of a mechanism, the same in every view of the lab. */
const HUES: Readonly<Record<string, number>> = { dma: 1, pio: 2, memory: 3 };
/** For series whose mechanism has no hue, in order. */
const OTHERS = [4, 5, 1, 2, 3];

/** By mechanism and direction: the hue shows the mechanism, dashes mean a read. */
function ownLook({ mechanism, direction }: LabSeries): SeriesStyle | null {
  const hue = HUES[mechanism];
  return hue === undefined ? null : { hue, dash: direction === 'read' ? 'dashed' : 'solid' };
}

const isSame = (a: SeriesStyle, b: SeriesStyle): boolean => a.hue === b.hue && a.dash === b.dash;

/** The first unused look, with an unused hue and style if there are any. */
function freeLook(taken: readonly SeriesStyle[]): SeriesStyle {
  const free = OTHERS.flatMap((hue) => DASHES.map((dash) => ({ hue, dash }))).filter(
    (look) => !taken.some((other) => isSame(look, other)),
  );
  const shared = (look: SeriesStyle) =>
    taken.filter((other) => other.hue === look.hue).length * DASHES.length +
    taken.filter((other) => other.dash === look.dash).length;
  const least = Math.min(...free.map(shared));
  return free.find((look) => shared(look) === least) ?? { hue: OTHERS[0] ?? 0, dash: 'solid' };
}

function looksOf({ series }: LabPlan): SeriesStyle[] {
  const looks: (SeriesStyle | null)[] = [];
  for (const own of series.map(ownLook))
    looks.push(own && looks.some((other) => other && isSame(own, other)) ? null : own);
  const taken = looks.filter((look) => look !== null);
  return looks.map((look) => {
    if (look) return look;
    const free = freeLook(taken);
    taken.push(free);
    return free;
  });
}

const known = new WeakMap<LabPlan, readonly SeriesStyle[]>();

/** The look of a series, the same on the chart, the bars and the lanes. */
export function seriesStyle(plan: LabPlan, { index }: LabSeries): SeriesStyle {
  const looks = known.get(plan) ?? looksOf(plan);
  known.set(plan, looks);
  return looks[index] ?? freeLook([]);
}
