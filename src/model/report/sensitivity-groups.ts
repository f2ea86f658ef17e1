/**
 * Sensitivity of calibrated gains: each gain with one cost a fifth lower and a fifth higher. Taken from stored runs
 * of the machine as published.
 */
import { figure } from '../published/published';
import type { GroupSensitivity } from './sensitivity';

export interface SensitivityBand {
  readonly title: string;
  /** In percent. */
  readonly simulated: number;
  readonly published: number;
}

/** One cost, and each gain in percent with less and with more of it; null if that is not possible. */
export interface SensitiveConstant {
  readonly title: string;
  readonly name: string;
  readonly basis: string;
  readonly gains: readonly (readonly [less: number | null, more: number | null])[];
}

export interface Sensitivity {
  readonly gains: readonly SensitivityBand[];
  readonly costs: readonly SensitiveConstant[];
}

const gainOf = (ratio: number): number => (ratio - 1) * 100;

/**
 * Costs that change no gain by more than this many percentage points are left out, unless they were chosen from the
 * gains.
 */
const STILL = 0.5;

const calibratedGains = (groups: readonly GroupSensitivity[], scenario: string) =>
  groups.filter((group) => group.scenario === scenario && group.calibrated === true);

const sideOf = (gains: readonly (number | null)[] | undefined, side: 0 | 1, still: number) => {
  const ratio = gains ? gains[side] : still;
  return ratio === null || ratio === undefined ? null : gainOf(ratio);
};

/** Null if a scenario has no calibrated gains. */
export function sensitivityOf(
  groups: readonly GroupSensitivity[],
  scenario: string,
): Sensitivity | null {
  const mine = calibratedGains(groups, scenario);
  if (mine.length === 0) return null;
  const gains = mine.map(({ figures, simulated, title }): SensitivityBand => {
    const known = figure(figures[0] ?? '');
    return {
      title: known?.title ?? title,
      simulated: gainOf(simulated[0] ?? 1),
      published: gainOf(known?.value ?? 1),
    };
  });
  const names = [...new Set(mine.flatMap(({ moves }) => moves.map(({ name }) => name)))];
  const costs = names.map((name): SensitiveConstant & { readonly reach: number } => {
    const found = mine.map(({ moves }) => moves.find((move) => move.name === name));
    const first = found.find((move) => move !== undefined);
    const sides = found.map((move, i) => {
      const still = mine[i]?.simulated[0] ?? 1;
      return [sideOf(move?.gains, 0, still), sideOf(move?.gains, 1, still)] as const;
    });
    const reach = Math.max(
      ...sides.flatMap((pair, i) =>
        pair.flatMap((gain) =>
          gain === null ? [] : [Math.abs(gain - (gains[i]?.simulated ?? 0))],
        ),
      ),
    );
    const { title = name, basis = '' } = first ?? {};
    return { title, name, basis, gains: sides, reach };
  });
  const moving = costs
    .filter(({ reach, basis }) => reach > STILL || basis === 'calibrated')
    .sort((a, b) => b.reach - a.reach);
  return { gains, costs: moving.map(({ reach: _, ...cost }) => cost) };
}
