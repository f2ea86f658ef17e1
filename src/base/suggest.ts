/** "did you mean": the known name that is closest to what was written. */

/** Edits between two words, counting a swap of neighbours as one. */
function distance(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let best = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        best = Math.min(best, (before[j - 2] ?? 0) + 1);
      row.push(best);
    }
    before = last;
    last = row;
  }
  return last[b.length] ?? 0;
}

const LONGEST = 64;

function closest(word: string, known: Iterable<string>): string | null {
  if (word.length > LONGEST || word.length < 2 || /^[\d.]+$/.test(word)) return null;
  let best: string | null = null;
  let least = Math.max(1, Math.floor(word.length / 3)) + 1;
  for (const name of known) {
    if (Math.abs(name.length - word.length) >= least) continue;
    const edits = distance(word.toLowerCase(), name.toLowerCase());
    if (edits < least) {
      best = name;
      least = edits;
    }
  }
  return best;
}

const SHOWN = 12;

/** `; did you mean "bytes"?` or `. Known: from, to, bytes.` or, of more than `most`, just `.` */
export function hint(word: string, known: Iterable<string>, most = SHOWN): string {
  const names = [...known];
  const near = closest(word, names);
  if (near !== null) return `; did you mean "${near}"?`;
  if (names.length === 0 || names.length > most) return '.';
  return `. Known: ${names.join(', ')}.`;
}

/** What someone wrote, short enough to be quoted in a sentence. */
export function quote(text: unknown): string {
  const all = typeof text === 'object' ? JSON.stringify(text) : String(text);
  return `"${all.length > LONGEST ? `${all.slice(0, LONGEST)}…` : all}"`;
}
