// Two ways to do the same, compared: in turn, so that both meet the same busy moments, and by what one costs of the other in
// each round, so that a drifting machine cancels out.

const share = (sorted, part) => {
  const at = (sorted.length - 1) * part;
  const below = Math.floor(at);
  const above = sorted[Math.min(below + 1, sorted.length - 1)];
  return sorted[below] + (above - sorted[below]) * (at - below);
};

/** Median and quartiles. */
export function spread(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const [low, median, high] = [0.25, 0.5, 0.75].map((part) => share(sorted, part));
  return { low, median, high };
}

/**
 * How many times as fast `after` is as `before`, in each of so many rounds: both cost something, and are run in turn, every
 * other round the other way about. The first round is not counted: code is still being compiled then.
 */
export async function paired(rounds, before, after) {
  const ratios = [];
  for (let round = 0; round <= rounds; round++) {
    const costs = [0, 0];
    const order = round % 2 ? [1, 0] : [0, 1];
    for (const which of order) costs[which] = await [before, after][which]();
    if (round > 0) ratios.push(costs[0] / costs[1]);
  }
  return ratios;
}
