/** Sentences under a picture, in phrases: some stand out, some are what it costs. */
export interface Phrase {
  readonly text: string;
  readonly strong?: boolean;
  readonly bad?: boolean;
}

export const plain = (text: string): Phrase => ({ text });
export const strong = (text: string): Phrase => ({ text, strong: true });
export const bad = (text: string): Phrase => ({ text, bad: true });

export const textOf = (phrases: readonly Phrase[]): string =>
  phrases.map(({ text }) => text).join('');
