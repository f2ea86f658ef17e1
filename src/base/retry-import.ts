import { whileBusy } from './activity';

/**
 * Parts of the page come when they are first needed. They may be missing because the network is gone, or because
 * the site was updated since the page was loaded. What failed is remembered, so that it can be tried again.
 */
export class NotFetched extends Error {
  constructor(cause: unknown) {
    super(outdated ? OUTDATED : OFFLINE, { cause });
    this.name = 'NotFetched';
  }
}

const OFFLINE = 'A part of the page could not be fetched. The network or the server may be gone.';
const OUTDATED =
  'Busyard was updated since this page was loaded, and the server no longer has this part of the old version. Reload the page.';

type Load = () => Promise<unknown>;

const missing = new Set<Load>();
let rounds = 0;
let outdated = false;

interface UpdateCheck {
  /** Whether the site has another version than this page. */
  check(): Promise<boolean>;
  /** A worker or the engine could not be fetched because the site was updated. */
  report(): void;
}

let update: UpdateCheck = { check: async () => false, report: () => undefined };

export function setUpdateCheck(given: UpdateCheck): void {
  update = given;
}

/** For files that are no modules of the page: finds out whether an update is why one is missing, and reports it. */
export async function reportMissing(): Promise<void> {
  outdated = await update.check();
  if (outdated) update.report();
}

/** Whether the page was older than the site when a part was last missing. */
export const isOutdated = (): boolean => outdated;

/**
 * A part of the page: `await fetched(() => import('./part'))`.
 * @throws {NotFetched} when it cannot be had
 */
export async function fetched<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await whileBusy(load());
  } catch (cause) {
    missing.add(load);
    outdated = await update.check();
    throw new NotFetched(cause);
  }
}

/** Tries again what is missing; says whether all of it is there now. */
export async function retryMissingImports(): Promise<boolean> {
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
export const retryCount = (): number => rounds;
