/** Which lanes are shown, and in which order: the reader's choice over that of the scenario. */

export interface LaneChoice {
  /** Lanes by name, as "part.track", in the chosen order; those not named follow. */
  readonly order: readonly string[];
  readonly hidden: readonly string[];
  /** These come first, and stay when there is room for few lanes. */
  readonly pinned: readonly string[];
  /** Types of parts whose lanes are one line. */
  readonly folded: readonly string[];
}

export const NO_CHOICE: LaneChoice = { order: [], hidden: [], pinned: [], folded: [] };

/** The lanes that are not hidden: pinned ones first, then in the chosen order. */
export function arranged<T>(
  lanes: readonly T[],
  nameOf: (lane: T) => string,
  choice: LaneChoice,
): readonly T[] {
  const rank = (lane: T): number => {
    const at = choice.order.indexOf(nameOf(lane));
    return at < 0 ? lanes.length + lanes.indexOf(lane) : at;
  };
  const isPinned = (lane: T): boolean => choice.pinned.includes(nameOf(lane));
  return lanes
    .filter((lane) => !choice.hidden.includes(nameOf(lane)))
    .toSorted((a, b) => Number(isPinned(b)) - Number(isPinned(a)) || rank(a) - rank(b));
}

const toggled = (names: readonly string[], name: string): readonly string[] =>
  names.includes(name) ? names.filter((one) => one !== name) : [...names, name];

export const withHidden = (choice: LaneChoice, name: string): LaneChoice => ({
  ...choice,
  hidden: toggled(choice.hidden, name),
});

export const withPinned = (choice: LaneChoice, name: string): LaneChoice => ({
  ...choice,
  pinned: toggled(choice.pinned, name),
});

export const withFolded = (choice: LaneChoice, type: string): LaneChoice => ({
  ...choice,
  folded: toggled(choice.folded, type),
});

/** A lane moved by one place among all, which are named in their present order. */
export function withMoved(
  choice: LaneChoice,
  all: readonly string[],
  name: string,
  by: 1 | -1,
): LaneChoice {
  const at = all.indexOf(name);
  const to = at + by;
  if (at < 0 || to < 0 || to >= all.length) return choice;
  return { ...choice, order: all.toSpliced(at, 1).toSpliced(to, 0, name) };
}
