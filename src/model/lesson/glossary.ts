/**
 * The glossary: definition of each term, where it shows in the drawing, and the lesson on it. It is loaded on
 * demand; until then, or without a network, texts have no marked terms.
 */
import { fetched } from '../../base/retry-import';
import { createStore } from '../../base/store';
import { type Term, termMentions } from '../trace/terms';
import { type Block, type BlockOf, type Inline, reworded } from './lesson';

export const glossary = createStore<{ readonly terms: readonly Term[] }>({ terms: [] });

let isRequested = false;

export function loadGlossary(): void {
  if (isRequested) return;
  isRequested = true;
  fetched(() => import('./glossary.json')).then(
    (module) => glossary.setState({ terms: module.default }),
    () => {
      isRequested = false;
    },
  );
}

/** Prose of a lesson with marked glossary terms. */
export type Marked = Inline | MarkedTerm;

interface MarkedTerm {
  readonly kind: 'term';
  readonly text: string;
  readonly term: Term;
  readonly strong: boolean;
  /** Punctuation that follows without a space. */
  readonly tail: string;
}

export type MarkedBlock = BlockOf<Marked>;

/** Marks the first occurrence of each term, from top to bottom. */
export function markTerms(
  blocks: readonly Block[],
  terms: readonly Term[],
): readonly MarkedBlock[] {
  if (terms.length === 0) return blocks;
  const seen = new Set<Term>();

  function split(text: string, strong: boolean): Marked[] {
    const found: Marked[] = [];
    const plain = (part: string) => {
      if (part) found.push({ kind: strong ? 'strong' : 'text', text: part });
    };
    let from = 0;
    for (const { term, from: start, to } of termMentions(text, terms)) {
      if (seen.has(term)) continue;
      seen.add(term);
      plain(text.slice(from, start));
      const [tail = ''] = text.slice(to).match(/^(?:['’]s\b)?[,.;:!?)”]*/) ?? [];
      found.push({ kind: 'term', text: text.slice(start, to), term, strong, tail });
      from = to + tail.length;
    }
    plain(text.slice(from));
    return found;
  }

  const inlines = (some: readonly Inline[]): readonly Marked[] =>
    some.flatMap((one) =>
      one.kind === 'text' || one.kind === 'strong' ? split(one.text, one.kind === 'strong') : [one],
    );
  return blocks.map((block) => reworded(block, inlines));
}
