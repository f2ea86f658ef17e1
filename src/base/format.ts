/**
 * Numbers and units as the page writes them: digits in threes, parted by a narrow no-break space; a true
 * minus sign; the unit apart, after a no-break space, so that a value and its unit are never torn over
 * two lines.
 */
export const NARROW_SPACE = '\u202f';
export const NO_BREAK_SPACE = '\u00a0';
const MINUS = '\u2212';

export interface Quantity {
  readonly value: string;
  readonly unit: string;
}

/** A number with a fixed count of decimals: `fixed(1440, 0)` is "1 440". */
export function fixed(value: number, decimals: number): string {
  if (Number.isNaN(value)) return 'not a number';
  if (!Number.isFinite(value)) return value > 0 ? 'infinite' : `${MINUS}infinite`;
  const text = Math.abs(value).toFixed(decimals);
  const [whole = '0', fraction] = text.split('.');
  const negative = value < 0 && Number(text) !== 0;
  return (negative ? MINUS : '') + grouped(whole) + (fraction ? `.${fraction}` : '');
}

/** A whole number: "4 954". */
export const integer = (value: number | bigint): string =>
  typeof value === 'bigint' ? grouped(String(value)) : fixed(Math.round(value), 0);

/** Up to `digits` significant digits, without trailing zeros unless `pad`; whole digits are kept. */
export function significant(value: number, digits: number, pad = false): string {
  if (value === 0 || !Number.isFinite(value)) return fixed(value, 0);
  const magnitude = Math.floor(Math.log10(Math.abs(Number(value.toPrecision(digits))))) + 1;
  const text = fixed(value, Math.max(0, digits - magnitude));
  return pad || !text.includes('.') ? text : text.replace(/\.?0+$/, '');
}

/** For files and terminals: up to `digits` significant digits, no spaces; whole digits are kept. */
export function plainNumber(value: number, digits: number): string {
  const kept = Math.max(
    digits,
    Math.abs(value) < 1e15 ? String(Math.trunc(value)).replace('-', '').length : 17,
  );
  return String(Number(value.toPrecision(Math.min(kept, 17))));
}

/** With its sign, also when positive; zero has none: "+5.8", "−0.3", "0.0". */
export function signed(value: number, decimals: number): string {
  const text = fixed(value, decimals);
  return value > 0 && /[1-9]/.test(text) ? `+${text}` : text;
}

/** `percent(33.2, 0)` is "33 %". The value is in per cent already. */
export const percent = (value: number, decimals = 0): string =>
  `${fixed(value, decimals)}${NO_BREAK_SPACE}%`;

export const signedPercent = (value: number, decimals = 1): string =>
  `${signed(value, decimals)}${NO_BREAK_SPACE}%`;

const TIME_UNITS: readonly (readonly [number, string])[] = [
  [1e12, 's'],
  [1e9, 'ms'],
  [1e6, 'µs'],
  [1e3, 'ns'],
  [1, 'ps'],
];

/** A time in picoseconds in the unit that keeps it between 1 and 1 000. */
export function time(ps: number, digits = 4): Quantity {
  const [scale, unit] = TIME_UNITS.find(([size]) => Math.abs(ps) >= size) ?? [1, 'ps'];
  return { value: significant(ps / scale, digits), unit: ps === 0 ? 'ns' : unit };
}

/** A time in picoseconds, all in the unit given: for columns and axes. */
export function timeIn(
  ps: number,
  unit: 'ps' | 'ns' | 'µs' | 'ms' | 's',
  decimals: number,
): string {
  const scale = TIME_UNITS.find(([, name]) => name === unit)?.[0] ?? 1;
  return fixed(ps / scale, decimals);
}

const BYTE_UNITS: readonly (readonly [number, string])[] = [
  [2 ** 30, 'GiB'],
  [2 ** 20, 'MiB'],
  [2 ** 10, 'KiB'],
];

/** A size in the largest binary unit that divides it, so nothing is rounded: 1536 stays "1 536 B". */
export function bytes(value: number): Quantity {
  const unit = BYTE_UNITS.find(([size]) => value >= size && value % size === 0);
  return unit
    ? { value: integer(value / unit[0]), unit: unit[1] }
    : { value: integer(value), unit: 'B' };
}

/** "8.27 µs": value and unit as one unbreakable text. */
export const text = (quantity: Quantity): string =>
  quantity.unit ? `${quantity.value}${NO_BREAK_SPACE}${quantity.unit}` : quantity.value;

/** "1 change", "3 changes", "no changes". */
export function count(amount: number, singular: string, plural = `${singular}s`): string {
  if (amount === 0) return `no ${plural}`;
  return `${integer(amount)}${NO_BREAK_SPACE}${amount === 1 ? singular : plural}`;
}

const PLURAL = /(?<=^[a-zA-Z -]{3,})s(?=$|\/)/;
const SINGULARS: readonly (readonly [RegExp, string])[] = [
  [/ves(?=$|\/)/, 'f'],
  [/ies(?=$|\/)/, 'y'],
  [/(?<=ss|sh|ch)es(?=$|\/)/, ''],
  [PLURAL, ''],
];

/** The unit of a measure or counter as it is written after a value: "1 page", "2 pages", "3 µs". */
export function unitAfter(value: string, unit: string): string {
  if (unit === 'us') return 'µs';
  if (value !== '1' || !PLURAL.test(unit)) return unit;
  const [plural, singular] = SINGULARS.find(([ending]) => ending.test(unit)) ?? [PLURAL, ''];
  return unit.replace(plural, singular);
}

/** What a column of values is called: with their unit, unless the title says it already. */
export const headOf = (title: string, unit: string): string =>
  !unit || title.split(' ').includes(unit) ? title : `${title}, ${unitAfter('', unit)}`;

/** A hexadecimal address, never shortened: `address(0x3A417660)` is "0x3A417660". */
export const address = (value: number | bigint, digits = 0): string =>
  `0x${value.toString(16).toUpperCase().padStart(digits, '0')}`;

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** When something was last touched: "today 10:42", "yesterday", "17 Nov", "17 Nov 2003". */
export function dayOf(when: Date, now: Date): string {
  const midnight = new Date(now.getFullYear(), now.getMonth(), now.getDate());
  const yesterday = new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1);
  if (when >= midnight) {
    const two = (part: number) => String(part).padStart(2, '0');
    return `today ${two(when.getHours())}:${two(when.getMinutes())}`;
  }
  if (when >= yesterday) return 'yesterday';
  const day = `${when.getDate()} ${MONTHS[when.getMonth()]}`;
  return when.getFullYear() === now.getFullYear() ? day : `${day} ${when.getFullYear()}`;
}

function grouped(whole: string): string {
  return whole.replace(/\B(?=(\d{3})+(?!\d))/g, NARROW_SPACE);
}

const INSIDE_VALUE =
  /(?<=\d) (?=\d{3}\b|[KMG]?i?B\b|[kMG]?B\/s|[pnµm]s\b|[kMG]Hz\b|%|[×x] \d)|(?<=\d [×x]) (?=\d)/gu;

/** The hyphen of a name such as T5-2. */
const MODEL = /(?<=\b\p{Lu}\d)-(?=\d\b)/gu;
const NO_BREAK_HYPHEN = '-\u2060';

/** Words in which a number stays on one line with its unit, with what it is times, and with its name. */
export const unbroken = (words: string): string =>
  words.replaceAll(INSIDE_VALUE, NO_BREAK_SPACE).replaceAll(MODEL, NO_BREAK_HYPHEN);
