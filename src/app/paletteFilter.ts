/**
 * How well an entry answers a query. Every word of the query must begin a word of the entry, or at least
 * be inside its title; words of the title count more than its other words, and a whole title most.
 */
export function scoreOf(title: string, query: string, keywords: readonly string[]): number {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const name = title.toLowerCase();
  const others = keywords.join(' ').toLowerCase();
  const scores = words.map((word) => scoreOfWord(word, name, others));
  if (scores.includes(0)) return 0;
  const mean = scores.reduce((sum, score) => sum + score, 0) / Math.max(scores.length, 1);
  return name === query.toLowerCase().trim() ? 1 : mean * 0.99;
}

function scoreOfWord(word: string, name: string, others: string): number {
  if (name.startsWith(word)) return 1;
  if (beginsWord(name, word)) return 0.9;
  if (name.includes(word)) return 0.6;
  return beginsWord(others, word) ? 0.3 : 0;
}

const beginsWord = (text: string, word: string): boolean =>
  text.split(/[^\p{L}\p{N}]+/u).some((part) => part.startsWith(word));
