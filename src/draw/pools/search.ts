/**
 * One search for consecutive free entries in words. The allocator looks for a free entry, then for a used one
 * among the next n; if there is one, it continues behind it.
 */
import { count, integer } from '../../base/format';
import type { PoolSearch } from '../../model/pools/pool-bitmap';

/** A range of entries that a search examined; `to` is exclusive. */
export interface ExaminedRange {
  readonly from: number;
  readonly to: number;
}

export interface SearchStep extends ExaminedRange {
  readonly text: string;
}

const range = (from: number, pages: number): string =>
  pages === 1 ? integer(from) : `${integer(from)} to ${integer(from + pages - 1)}`;

const wordOf = (entry: number): number => entry >>> 6;

function placesRead(from: number, to: number): string {
  const [first, last] = [wordOf(from), wordOf(Math.max(from, to - 1))];
  return first === last ? `Word ${integer(first)}` : `Words ${integer(first)} to ${integer(last)}`;
}

/** One step per candidate: what was read, and the result. */
export function stepsOf(search: PoolSearch): SearchStep[] {
  const { pages, probes, tried } = search;
  const steps: SearchStep[] = [];
  let at = search.start;
  for (const { index, blocked } of probes) {
    const fits = blocked === index && index === search.found;
    const to = fits ? index + pages : blocked + 1;
    const read = placesRead(at, to);
    const skipped = index > at ? `${count(index - at, 'used entry', 'used entries')} passed, ` : '';
    const text = fits
      ? `${read}: ${skipped}${pages === 1 ? 'entry' : 'entries'} ${range(index, pages)} ${pages === 1 ? 'is' : 'are'} free.`
      : `${read}: ${skipped}free from ${integer(index)}, but entry ${integer(blocked)} is in use, ${integer(blocked - index)} of ${integer(pages)} found.`;
    steps.push({ from: at, to, text });
    at = to;
  }
  if (tried > probes.length) steps.push(...unrecordedSteps(search, at));
  else if (search.found === null)
    steps.push({
      from: at,
      to: search.limit,
      text: `${placesRead(at, search.limit)}: nothing else is free up to the end, ${integer(search.limit - 1)}.`,
    });
  return steps;
}

/** The candidates that were not recorded: how many more were too short, and the successful one. */
function unrecordedSteps(
  { pages, found, limit, probes, tried }: PoolSearch,
  at: number,
): SearchStep[] {
  const short = tried - probes.length - (found === null ? 0 : 1);
  const to = found ?? limit;
  const read = placesRead(at, to);
  const steps = [
    { from: at, to, text: `${read}: ${count(short, 'more free run')}, too short as well.` },
  ];
  if (found === null) return steps;
  const text = `${placesRead(found, found + pages)}: ${pages === 1 ? 'entry' : 'entries'} ${range(found, pages)} ${pages === 1 ? 'is' : 'are'} free.`;
  return [...steps, { from: found, to: found + pages, text }];
}

/** The ranges examined after this many steps. */
export const examined = (search: PoolSearch, steps: number): readonly ExaminedRange[] =>
  stepsOf(search).slice(0, steps);

/** Words between two entries, as one scan of the bitmap reads them. */
const scanned = (from: number, to: number): number => wordOf(to) - wordOf(from) + 1;

/**
 * Words that the search read: one scan for a free entry, one for a used entry behind it, and so on. If not
 * all candidates are recorded, the words it passed over.
 */
function costText({ start, limit, pages, found, probes, tried }: PoolSearch): string {
  if (tried > probes.length)
    return `${count(scanned(start, (found ?? limit) - 1), 'word')} passed over`;
  let [at, sum] = [start, 0];
  for (const { index, blocked } of probes) {
    sum += scanned(at, index) + scanned(index, blocked === index ? index + pages - 1 : blocked);
    at = blocked + 1;
  }
  const all = found === null && at < limit ? sum + scanned(at, limit - 1) : sum;
  return `${count(all, 'word')} read`;
}

/** The whole search in one or two sentences. */
export function searchSentence(search: PoolSearch, pool: string): string {
  const { pages, start, found, probes, tried } = search;
  const asks = `CPU ${search.cpu} asks ${pool} for ${count(pages, 'entry', 'entries')}.`;
  const blocked = tried - (found === null ? 0 : 1);
  const short = Math.max(0, Math.min(blocked, tried));
  const steps =
    short > 0
      ? `meets ${count(short, 'free run')} too short`
      : found === null
        ? `finds no ${count(pages, 'free entry', 'free entries')} in a row`
        : 'meets nothing in the way';
  const cost = costText(search);
  const end =
    found === null
      ? short > 0
        ? `${cost}, nothing found.`
        : `${cost}.`
      : `${cost}, ${pages === 1 ? 'free entry' : 'free run'} at ${integer(found)}.`;
  const first = probes[0];
  const passes =
    first && first.index > start
      ? `, passes ${count(first.index - start, 'used entry', 'used entries')}`
      : '';
  return `${asks} The search starts at ${integer(start)}${passes} and ${steps}; ${end}`;
}
