/** Counts pending activities. The page reports that it is ready when none is running. */
import { createStore } from './store';

/** How much is under way. */
export const activity = createStore({ running: 0 });

const add = (some: number): void =>
  activity.setState(({ running }) => ({ running: running + some }));

/** Something begins; the returned function ends it, once. */
export function begin(): () => void {
  let ended = false;
  add(1);
  return () => {
    if (!ended) add(-1);
    ended = true;
  };
}

/** Until the work is done, or has failed, the page is busy. */
export async function whileBusy<T>(work: Promise<T>): Promise<T> {
  const end = begin();
  try {
    return await work;
  } finally {
    end();
  }
}
