/** The words of the first page. */

export const CLAUSES = [
  'Your program saved the file.',
  'The disk got yesterday’s data.',
  'Nobody noticed.',
];

/** What stands under the sentence, and on the button, after each press. */
export const STAGES = [
  { says: 'It takes two presses. Watch the four boxes.', button: 'Save the file', fulfilled: 0 },
  {
    says: 'The new data is in the processor’s cache. Memory has not heard of it.',
    button: 'Let the disk read it',
    fulfilled: 1,
  },
  {
    says: 'The disk asked memory, and memory was out of date. There was no error and no message.',
    button: 'Why did nobody notice?',
    fulfilled: 3,
  },
] as const;
