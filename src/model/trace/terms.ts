/** Terms of the field, and where a text or the words of a search name them. */

export interface Term {
  readonly term: string;
  /** What it belongs to: "Buses". */
  readonly theme: string;
  /** How it is written in texts; capital letters count, and an "s" may follow. */
  readonly forms: readonly string[];
  readonly what: string;
  /** Where one sees it. */
  readonly where: string;
  /** Id of the lesson that explains it. */
  readonly lesson: string;
}

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&');

interface Vocabulary {
  readonly pattern: RegExp;
  readonly forms: ReadonlyMap<string, { readonly form: string; readonly term: Term }>;
}

const vocabularies = new WeakMap<readonly Term[], Vocabulary>();

function vocabularyOf(terms: readonly Term[]): Vocabulary {
  const known = vocabularies.get(terms) ?? newVocabulary(terms);
  vocabularies.set(terms, known);
  return known;
}

/** All forms as one pattern, longer ones first. */
function newVocabulary(terms: readonly Term[]): Vocabulary {
  const all = terms.flatMap((term) => term.forms.map((form) => ({ form, term })));
  const longest = [...all].sort((a, b) => b.form.length - a.form.length);
  const words = longest.map(({ form }) => escaped(form)).join('|');
  return {
    pattern: new RegExp(`(?<![\\p{L}\\p{N}_-])(${words})s?(?![\\p{L}\\p{N}_-])`, 'giu'),
    forms: new Map(all.map((one) => [one.form.toLowerCase(), one])),
  };
}

/** The term that is meant by what was found; none where only capitals differ: a "pio" is no PIO. */
function meant(found: string, { forms }: Vocabulary): Term | null {
  const one = forms.get(found.toLowerCase());
  if (!one) return null;
  return /\p{Lu}/u.test(one.form) && found !== one.form ? null : one.term;
}

/** What words of a search mean: each term that they name, however they are capitalised. */
export function termsInQuery(words: string, terms: readonly Term[]): TermMention[] {
  if (terms.length === 0) return [];
  const { pattern, forms } = vocabularyOf(terms);
  return [...words.matchAll(pattern)].flatMap((match) => {
    const term = forms.get((match[1] ?? '').toLowerCase())?.term;
    return term ? [{ term, from: match.index, to: match.index + match[0].length }] : [];
  });
}

/** Where a text speaks of terms. */
export interface TermMention {
  readonly term: Term;
  readonly from: number;
  readonly to: number;
}

/** Every mention of a term in a text, in order. */
export function termMentions(text: string, terms: readonly Term[]): TermMention[] {
  if (terms.length === 0) return [];
  const vocabulary = vocabularyOf(terms);
  return [...text.matchAll(vocabulary.pattern)].flatMap((match) => {
    const term = meant(match[1] ?? '', vocabulary);
    return term ? [{ term, from: match.index, to: match.index + match[0].length }] : [];
  });
}
