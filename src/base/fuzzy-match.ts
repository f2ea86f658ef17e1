/**
 * How well an entry answers a query. Every word of the query must begin a word of the entry, or at least
 * be inside its title; words of the title count more than its other words, and a whole title most.
 */
function scoreOf(title: string, query: string, keywords: readonly string[]): number {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const name = title.toLowerCase();
  const others = keywords.join(' ').toLowerCase();
  const scores = words.map((word) => scoreWord(word, name, others));
  if (scores.includes(0)) return 0;
  const mean = scores.reduce((sum, score) => sum + score, 0) / Math.max(scores.length, 1);
  return name === query.toLowerCase().trim() ? 1 : mean * 0.99;
}

function scoreWord(word: string, name: string, others: string): number {
  if (name.startsWith(word)) return 1;
  if (startsWord(name, word)) return 0.9;
  if (name.includes(word)) return 0.6;
  return startsWord(others, word) ? 0.3 : 0;
}

/** Marks within a word count, as in I/O. */
function startsWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1))
    if (at === 0 || !/[\p{L}\p{N}]/u.test(text.charAt(at - 1))) return true;
  return false;
}

interface Entry {
  readonly title: string;
  readonly keywords: readonly string[];
  /** Below 1 it gives way to others, unless the query is its whole title. */
  readonly weight?: number;
}

type Sections<E> = readonly (readonly [section: string, entries: readonly E[]])[];

/** The matching entries of each section, best first; sections are ordered by their best entry. */
export function matchEntries<E extends Entry>(sections: Sections<E>, query: string): Sections<E> {
  if (query.trim() === '') return sections;
  return sections
    .map(([section, entries]) => {
      const scored = entries
        .map((entry) => {
          const score = scoreOf(entry.title, query, [section, ...entry.keywords]);
          return { entry, score: score === 1 ? 1 : score * (entry.weight ?? 1) };
        })
        .filter(({ score }) => score > 0)
        .sort((a, b) => b.score - a.score);
      return { section, scored, best: scored[0]?.score ?? 0 };
    })
    .filter(({ best }) => best > 0)
    .sort((a, b) => b.best - a.best)
    .map(({ section, scored }) => [section, scored.map(({ entry }) => entry)] as const);
}
