/** Glossary terms, and where texts and search queries mention them. */

export interface Term {
  readonly term: string;
  /** Theme of the term: "Buses". */
  readonly theme: string;
  /** Spellings in texts; case-sensitive, with an optional "s". */
  readonly forms: readonly string[];
  readonly what: string;
  /** Where it can be seen. */
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

/** The term of a match; null if the capitals differ: "pio" is not PIO. */
function meant(found: string, { forms }: Vocabulary): Term | null {
  const one = forms.get(found.toLowerCase());
  if (!one) return null;
  return /\p{Lu}/u.test(one.form) && found !== one.form ? null : one.term;
}

/** The terms mentioned in a query, ignoring case. */
export function termsInQuery(words: string, terms: readonly Term[]): TermMention[] {
  if (terms.length === 0) return [];
  const { pattern, forms } = vocabularyOf(terms);
  return [...words.matchAll(pattern)].flatMap((match) => {
    const term = forms.get((match[1] ?? '').toLowerCase())?.term;
    return term ? [{ term, from: match.index, to: match.index + match[0].length }] : [];
  });
}

/** A mention of a term in a text. */
export interface TermMention {
  readonly term: Term;
  readonly from: number;
  readonly to: number;
}

/** All mentions of terms in a text, in order. */
export function termMentions(text: string, terms: readonly Term[]): TermMention[] {
  if (terms.length === 0) return [];
  const vocabulary = vocabularyOf(terms);
  return [...text.matchAll(vocabulary.pattern)].flatMap((match) => {
    const term = meant(match[1] ?? '', vocabulary);
    return term ? [{ term, from: match.index, to: match.index + match[0].length }] : [];
  });
}
