/**
 * Quantities with units, exact: "65.104 ns" is the integer 65104 (picoseconds), "66.666667 MHz" is
 * 66666667 (hertz), "4 KiB" is 4096 (bytes). No floating point is involved, so a file means the same
 * number everywhere. Plain JavaScript because the manifest generator and the page both read units.
 */

const DECIMAL = { '': 0, k: 3, M: 6, G: 9 };

/** Units by quantity: name -> [power of ten, power of two] relative to the base unit. */
export const UNITS = {
  time: { ps: [0, 0], ns: [3, 0], us: [6, 0], µs: [6, 0], ms: [9, 0], s: [12, 0] },
  clock: Object.fromEntries(Object.entries(DECIMAL).map(([k, v]) => [`${k}Hz`, [v, 0]])),
  bytes: { B: [0, 0], KiB: [0, 10], MiB: [0, 20], GiB: [0, 30] },
  rate: {
    'B/s': [0, 0],
    'kB/s': [3, 0],
    'MB/s': [6, 0],
    'GB/s': [9, 0],
    'Mb/s': [6, -3],
    'Gb/s': [9, -3],
  },
  count: {},
  address: {},
  flag: {},
};

const MAX_U64 = (1n << 64n) - 1n;

/** No quantity is written with more letters. */
const LONGEST = 64;
const quoted = (text) => `"${text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text}"`;

/** Quantities as sentences name them. */
const NOUNS = {
  time: 'a time',
  clock: 'a frequency',
  bytes: 'a size',
  rate: 'a rate',
  count: 'a whole number',
  address: 'an address',
  flag: 'true or false',
};

/** Quantities as they are written. */
const EXAMPLES = {
  time: '1000 s',
  clock: '33.3 MHz',
  bytes: '64 KiB',
  rate: '132 MB/s',
  count: '1000',
  address: '0x1000',
};

function unitList(type) {
  const names = Object.keys(UNITS[type]).filter((name) => name !== 'µs');
  return names.length > 0 ? `, with one of the units ${names.join(', ')}` : ', without a unit';
}

function scale(digits, fraction, [ten, two], text) {
  let value = BigInt(digits + fraction);
  let divisor = 10n ** BigInt(fraction.length);
  value *= 10n ** BigInt(ten);
  if (two >= 0) value <<= BigInt(two);
  else divisor <<= BigInt(-two);
  if (value % divisor !== 0n)
    throw new RangeError(`${quoted(text)} is finer than the engine counts.`);
  value /= divisor;
  if (value > MAX_U64) throw new RangeError(`${quoted(text)} is too large.`);
  return value;
}

/**
 * Parses a quantity into base units (ps, Hz, B, B/s, or a plain count).
 * @param {string | number | boolean} input
 * @param {keyof typeof UNITS} type
 * @returns {bigint}
 * @throws {RangeError} with a sentence
 */
export function parseQuantity(input, type) {
  if (typeof input === 'boolean') {
    if (type !== 'flag') throw new RangeError(`${input} is not ${NOUNS[type]}.`);
    return input ? 1n : 0n;
  }
  if (type === 'flag') throw new RangeError(`${quoted(String(input))} is neither true nor false.`);
  if (typeof input === 'number' && Math.abs(input) > Number.MAX_SAFE_INTEGER)
    throw new RangeError(`${input} is too large to be held exactly; write it as a string.`);
  const text = String(input).trim();
  if (
    /^0x[0-9a-f]{1,40}$/i.test(text) &&
    (type === 'address' || type === 'count' || type === 'bytes')
  ) {
    const value = BigInt(text);
    if (value > MAX_U64) throw new RangeError(`${quoted(text)} is too large.`);
    return value;
  }
  if (/^[+-]?[\d.]+e[+-]?\d+/i.test(text))
    throw new RangeError(
      `${quoted(text)} has an exponent; write the digits out${unitList(type)}, such as ${EXAMPLES[type]}.`,
    );
  const match = /^(\d+)(?:\.(\d+))?\s*([A-Za-zµ/]*)$/.exec(text);
  if (!match || text.length > LONGEST)
    throw new RangeError(`${quoted(text)} is not ${NOUNS[type]}${unitList(type)}.`);
  const [, digits = '', fraction = '', unit = ''] = match;
  const plain =
    unit === '' &&
    (type === 'count' || type === 'address' || type === 'bytes' || /^0+$/.test(digits + fraction));
  const power = plain ? [0, 0] : Object.hasOwn(UNITS[type], unit) && UNITS[type][unit];
  if (!power) throw new RangeError(`${quoted(text)} is not ${NOUNS[type]}${unitList(type)}.`);
  return scale(digits, fraction, power, text);
}

const PREFERRED = {
  time: ['ps', 'ns', 'us', 'ms', 's'],
  clock: ['Hz', 'kHz', 'MHz', 'GHz'],
  bytes: ['B', 'KiB', 'MiB', 'GiB'],
  rate: ['B/s', 'kB/s', 'MB/s', 'GB/s'],
};

/**
 * Writes base units back as the shortest exact text, the inverse of parseQuantity.
 * @param {bigint} value
 * @param {keyof typeof UNITS} type
 */
export function formatQuantity(value, type) {
  if (type === 'flag') return value !== 0n ? 'true' : 'false';
  if (type === 'address') return `0x${value.toString(16)}`;
  const names = PREFERRED[type];
  if (!names) return value.toString();
  let best = names[0];
  for (const name of names) {
    const [ten, two] = UNITS[type][name];
    const unit = (10n ** BigInt(ten)) << BigInt(two);
    if (value < unit) break;
    if (two === 0 || value % unit === 0n) best = name;
  }
  const [ten, two] = UNITS[type][best];
  const unit = (10n ** BigInt(ten)) << BigInt(two);
  const rest = value % unit;
  const fraction = rest === 0n ? '' : `.${rest.toString().padStart(ten, '0').replace(/0+$/, '')}`;
  return `${value / unit}${fraction} ${best}`;
}
