const ONES = [
  'zero',
  'one',
  'two',
  'three',
  'four',
  'five',
  'six',
  'seven',
  'eight',
  'nine',
  'ten',
  'eleven',
  'twelve',
  'thirteen',
  'fourteen',
  'fifteen',
  'sixteen',
  'seventeen',
  'eighteen',
  'nineteen',
] as const;
const TENS = ['', '', 'twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety'];

/** A number below a hundred as documents write it: 48 is "forty-eight". */
export function inWords(number: number): string {
  const [tens, rest] = [Math.floor(number / 10), number % 10];
  const word = ONES[number] ?? `${TENS[tens]}${rest > 0 ? `-${ONES[rest]}` : ''}`;
  if (!Number.isInteger(number) || number < 0 || number > 99) throw new Error(`${number}`);
  return word;
}
