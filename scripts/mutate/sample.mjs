// Selects the mutants to judge: the same for the same seed, spread over all files.
import { createHash } from 'node:crypto';

/** Groups items by a key. */
export function grouped(list, keyOf) {
  const groups = new Map();
  for (const one of list) {
    const key = keyOf(one);
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(one);
  }
  return groups;
}

const dice = (seed, id) => createHash('sha256').update(`${seed} ${id}`).digest('hex');

/**
 * Takes a sample. Each file's mutants are shuffled by the seed; a file of a hundred gives ten times as many
 * as one of ten, and each at least its first. A sample is part of any larger one with the same seed.
 */
export function sampleOf(mutants, size, seed) {
  const files = grouped(mutants, ({ path }) => path);
  const ranked = [...files.values()].flatMap((own) =>
    own
      .map((mutant) => ({ mutant, order: dice(seed, mutant.id) }))
      .sort((a, b) => (a.order < b.order ? -1 : 1))
      .map(({ mutant, order }, rank) => ({ mutant, order, place: rank / own.length })),
  );
  ranked.sort((a, b) => a.place - b.place || (a.order < b.order ? -1 : 1));
  return ranked.slice(0, size).map(({ mutant }) => mutant);
}
