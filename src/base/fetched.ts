/**
 * Parts of the page come when they are first needed, and may not come when there is no network. What was
 * wanted in vain is remembered, so that it can be tried again.
 */
export class NotFetched extends Error {
  constructor(cause: unknown) {
    super('A part of the page could not be fetched. The network may be gone.', { cause });
    this.name = 'NotFetched';
  }
}

type Load = () => Promise<unknown>;

const missing = new Set<Load>();
let rounds = 0;

/**
 * A part of the page: `await fetched(() => import('./part'))`.
 * @throws {NotFetched} when it cannot be had
 */
export async function fetched<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    missing.add(load);
    throw new NotFetched(cause);
  }
}

/** Tries again what is missing; says whether all of it is there now. */
export async function fetchMissing(): Promise<boolean> {
  await Promise.allSettled(
    [...missing].map(async (load) => {
      await load();
      missing.delete(load);
    }),
  );
  if (missing.size > 0) return false;
  rounds++;
  return true;
}

/** How often what was missing has come after all. */
export const timesRecovered = (): number => rounds;
