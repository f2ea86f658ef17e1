/** The words of a sentence on an event that name something in the machine's drawing. */

/** What words stand for: a part's box, the packet on a bus, or the cell of the line in play. */
export type Marked =
  | { readonly kind: 'part'; readonly part: number }
  | { readonly kind: 'packet'; readonly bus: number }
  | { readonly kind: 'cell' };

export interface Piece {
  readonly text: string;
  readonly marked: Marked | null;
}

interface Named {
  /** Titles of the drawn parts, by index; null for one that is not drawn. */
  readonly titles: readonly (string | null)[];
  /** Part of the event. */
  readonly own: number | null;
  /** Bus that carries the event's packet now; null if none does. */
  readonly packetOn: number | null;
  /** Address of the line whose cell is ringed, as the sentence writes it; null if it is another's. */
  readonly cellAt: string | null;
  readonly hasCell: boolean;
}

interface Mention {
  readonly from: number;
  readonly to: number;
  readonly marked: Marked;
}

/** Places of parts that the sentence names, the longest titles first. */
function mentionsOf(sentence: string, { titles, packetOn, cellAt }: Named): Mention[] {
  const names = titles.flatMap((title, part) => (title ? [{ title, part }] : []));
  const found: Mention[] = [];
  const add = (text: string, marked: Marked) => {
    const from = sentence.indexOf(text);
    const to = from + text.length;
    const isWord = !/\w/.test(sentence.charAt(to)) && !/\w/.test(sentence.charAt(from - 1));
    if (from >= 0 && isWord && found.every((one) => to <= one.from || from >= one.to))
      found.push({ from, to, marked });
  };
  for (const { title, part } of names.sort((a, b) => b.title.length - a.title.length))
    add(title, part === packetOn ? { kind: 'packet', bus: part } : { kind: 'part', part });
  if (cellAt) add(cellAt, { kind: 'cell' });
  return found.sort((a, b) => a.from - b.from);
}

/** Most marks of a sentence: more lines than these are a tangle. */
const MOST_MARKS = 3;

/**
 * The sentence in pieces. A packet or cell without a name of its own in the sentence is what its predicate says: it
 * takes the longest piece between the names.
 */
export function sentencePieces(sentence: string, named: Named): Piece[] {
  const mentions = mentionsOf(sentence, named).slice(0, MOST_MARKS);
  const pieces: Piece[] = [];
  let at = 0;
  for (const { from, to, marked } of mentions) {
    if (from > at) pieces.push({ text: sentence.slice(at, from), marked: null });
    pieces.push({ text: sentence.slice(from, to), marked });
    at = to;
  }
  if (at < sentence.length) pieces.push({ text: sentence.slice(at), marked: null });
  const isMarked = (kind: Marked['kind']) => pieces.some(({ marked }) => marked?.kind === kind);
  const { own, packetOn, hasCell } = named;
  if (packetOn !== null && !isMarked('packet'))
    markLongest(pieces, { kind: 'packet', bus: packetOn });
  if (hasCell && !isMarked('cell')) markLongest(pieces, { kind: 'cell' });
  const isNamed = pieces.some(({ marked }) => marked !== null);
  if (!isNamed && own !== null && named.titles[own])
    markLongest(pieces, { kind: 'part', part: own });
  return pieces;
}

/** Marks the longest free piece, without the space and the stops at its ends. */
function markLongest(pieces: Piece[], marked: Marked): void {
  if (pieces.filter((piece) => piece.marked).length >= MOST_MARKS) return;
  const lengths = pieces.map((piece) => (piece.marked ? 0 : piece.text.length));
  const index = lengths.indexOf(Math.max(...lengths));
  const [, before = '', text = '', after = ''] =
    /^([\s:,]*)(.*?)([\s.,]*)$/.exec(pieces[index]?.text ?? '') ?? [];
  if (!text) return;
  const split = [
    { text: before, marked: null },
    { text, marked },
    { text: after, marked: null },
  ];
  pieces.splice(index, 1, ...split.filter((piece) => piece.text));
}
