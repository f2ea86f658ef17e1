/**
 * Reads a value change dump (IEEE 1364) piece by piece: of every signal the times at which it changes, and its values.
 * Signals of one code share their changes. Values are kept as the file writes them, in lower case and without the
 * letter in front: `1`, `z`, `1010`, `3.5`, `data`.
 */
import { type ByteSource, TraceError } from '../pools/map-trace';

interface SignalChanges {
  /** In picoseconds, ascending. */
  readonly times: Float64Array;
  /** Index of each value in `values`. */
  readonly codes: Uint32Array;
  readonly values: readonly string[];
}

export interface Signal extends SignalChanges {
  /** Scopes and name, with dots. */
  readonly name: string;
  readonly bits: number;
}

export interface Signals {
  readonly signals: readonly Signal[];
  readonly endPs: number;
  readonly changes: number;
  /** Whether there are more changes than can be kept. */
  readonly cut: boolean;
}

/** In all, 200 MB. */
const MOST_CHANGES = 1 << 24;
const MOST_SIGNALS = 1 << 16;
/** Of one signal; a dump with more has data on a bus, which cannot be told apart by eye. */
const MOST_VALUES = 1 << 16;
const OTHER = '...';
const FIRST_ROOM = 16;
const PS: Readonly<Record<string, number>> = {
  s: 1e12,
  ms: 1e9,
  us: 1e6,
  ns: 1e3,
  ps: 1,
  fs: 1e-3,
};

class Changes {
  length = 0;
  readonly values: string[] = [];
  readonly #codes = new Map<string, number>();
  #times = new Float64Array(FIRST_ROOM);
  #of = new Uint32Array(FIRST_ROOM);

  /** The last of several values at one time holds; a value that stays is no change. */
  push(timePs: number, value: string): void {
    const code = this.#codeOf(value);
    if (this.length > 0 && this.#times[this.length - 1] === timePs) this.length--;
    if (this.length > 0 && this.#of[this.length - 1] === code) return;
    if (this.length === this.#of.length) this.#grow();
    this.#times[this.length] = timePs;
    this.#of[this.length++] = code;
  }

  #codeOf(value: string): number {
    const known = this.#codes.get(value);
    if (known !== undefined) return known;
    const text = this.values.length < MOST_VALUES ? value : OTHER;
    const code = this.#codes.get(text) ?? this.values.push(text) - 1;
    this.#codes.set(text, code);
    return code;
  }

  #grow(): void {
    const [times, codes] = [new Float64Array(2 * this.length), new Uint32Array(2 * this.length)];
    times.set(this.#times);
    codes.set(this.#of);
    [this.#times, this.#of] = [times, codes];
  }

  get all(): SignalChanges {
    const { length, values } = this;
    return { times: this.#times.slice(0, length), codes: this.#of.slice(0, length), values };
  }
}

/** The words of a text, each with its line. */
class Words {
  line = 1;
  readonly #decoder = new TextDecoder('latin1');
  #piece = new Uint8Array(1 << 16);
  #from = 0;
  #to = 0;

  constructor(private readonly source: ByteSource) {}

  /** The next word; '' at the end. */
  next(): string {
    for (;;) {
      if (this.#from === this.#to && !this.#more()) return '';
      const byte = this.#piece[this.#from] ?? 0;
      if (byte > 32) break;
      if (byte === 10) this.line++;
      this.#from++;
    }
    let end = this.#from;
    for (;;) {
      while (end < this.#to && (this.#piece[end] ?? 0) > 32) end++;
      if (end < this.#to) break;
      const length = end - this.#from;
      const has = this.#more();
      end = this.#from + length;
      if (!has) break;
    }
    const word = this.#text(this.#from, end);
    this.#from = end;
    return word;
  }

  /** Most words are short, and a decoder costs more than they do. */
  #text(from: number, to: number): string {
    if (to - from > 12) return this.#decoder.decode(this.#piece.subarray(from, to));
    let text = '';
    for (let i = from; i < to; i++) text += String.fromCharCode(this.#piece[i] ?? 0);
    return text;
  }

  /** Reads on, and keeps what is not yet taken. */
  #more(): boolean {
    const rest = this.#piece.subarray(this.#from, this.#to);
    if (rest.length === this.#piece.length) {
      if (rest.length >= 1 << 20) throw new TraceError(this.line, 'This word is too long.');
      const larger = new Uint8Array(2 * rest.length);
      larger.set(rest);
      this.#piece = larger;
    } else this.#piece.copyWithin(0, this.#from, this.#to);
    [this.#from, this.#to] = [0, rest.length];
    const got = this.source.read(this.#piece.subarray(this.#to));
    this.#to += got;
    return got > 0;
  }
}

interface Declared {
  readonly name: string;
  readonly bits: number;
  readonly changes: Changes;
}

class Reader {
  readonly #words: Words;
  readonly #declared: Declared[] = [];
  readonly #byCode = new Map<string, Changes>();
  readonly #scopes: string[] = [];
  #unitPs = 1;
  #now = 0;
  #count = 0;

  constructor(source: ByteSource) {
    this.#words = new Words(source);
  }

  run(): Signals {
    this.#head();
    const cut = this.#body();
    const shared = new Map<Changes, SignalChanges>();
    const signals = this.#declared.map(({ name, bits, changes }) => {
      const all = shared.get(changes) ?? changes.all;
      shared.set(changes, all);
      return { name, bits, ...all };
    });
    return { signals, endPs: this.#now, changes: this.#count, cut };
  }

  #refuse(sentence: string): TraceError {
    return new TraceError(this.#words.line, sentence);
  }

  /** The words up to `$end`. */
  #section(): string[] {
    const found: string[] = [];
    for (let word = this.#words.next(); word !== '$end'; word = this.#words.next()) {
      if (word === '') throw this.#refuse('The file ends before "$end".');
      found.push(word);
    }
    return found;
  }

  #head(): void {
    for (;;) {
      const word = this.#words.next();
      if (word === '') throw this.#refuse('The file ends before "$enddefinitions".');
      if (!word.startsWith('$'))
        throw this.#refuse('A declaration that begins with "$" is expected here.');
      const section = this.#section();
      if (word === '$enddefinitions') return;
      if (word === '$scope') this.#scopes.push(section[1] ?? '');
      if (word === '$upscope') this.#scopes.pop();
      if (word === '$timescale') this.#unitPs = this.#timescale(section.join(''));
      if (word === '$var') this.#declare(section);
    }
  }

  #timescale(text: string): number {
    const [, number, unit = ''] = /^(1|10|100)(s|ms|us|ns|ps|fs)$/.exec(text) ?? [];
    if (!number) throw this.#refuse('A time scale is 1, 10 or 100 with s, ms, us, ns, ps or fs.');
    return Number(number) * (PS[unit] ?? 1);
  }

  #declare([, bits = '', code, ...name]: readonly string[]): void {
    if (!code || name.length === 0)
      throw this.#refuse('A signal has a type, its bits, a code and a name.');
    if (this.#declared.length >= MOST_SIGNALS)
      throw this.#refuse(`At most ${MOST_SIGNALS} signals are read.`);
    const changes = this.#byCode.get(code) ?? new Changes();
    this.#byCode.set(code, changes);
    // A range such as [7:0] is set off from the name.
    const whole = [...this.#scopes, name.join('')].filter(Boolean).join('.');
    this.#declared.push({ name: whole, bits: Number(bits) || 1, changes });
  }

  /** @returns whether it stopped early */
  #body(): boolean {
    for (;;) {
      const word = this.#words.next();
      if (word === '') return false;
      if (this.#count >= MOST_CHANGES) return true;
      const first = word.charAt(0);
      if (first === '#') this.#time(word);
      else if (first === '$') this.#keyword(word);
      else if ('01xXzZ'.includes(first)) this.#change(word.slice(1), first.toLowerCase());
      else if ('bBrR'.includes(first))
        this.#change(this.#words.next(), word.slice(1).toLowerCase());
      else if ('sS'.includes(first)) this.#change(this.#words.next(), word.slice(1));
      else throw this.#refuse(`A time or a change of a signal is expected here, not "${word}".`);
    }
  }

  #time(word: string): void {
    const at = Number(word.slice(1)) * this.#unitPs;
    if (!(at >= this.#now)) throw this.#refuse(`Time goes back here, to ${word}.`);
    this.#now = at;
  }

  /** Sections of values, such as `$dumpvars`, contain changes; comments do not. */
  #keyword(word: string): void {
    if (word === '$comment') this.#section();
  }

  #change(code: string, value: string): void {
    const changes = this.#byCode.get(code);
    if (!changes) throw this.#refuse(`No signal has the code "${code}".`);
    const before = changes.length;
    changes.push(this.#now, value);
    this.#count += changes.length - before;
  }
}

/**
 * Reads all signals of a dump.
 * @throws {TraceError} with its line if it cannot be read
 */
export const readVcd = (source: ByteSource): Signals => new Reader(source).run();
