// The verdict on a mutant: the strongest failure.

/** From strong to weak: a trap shows that something is wrong but not what; a pinned number could be pinned again. */
const VERDICTS = ['behaviour', 'trap', 'time-out', 'pin'];

export const verdictOf = (found, none = 'survived') =>
  VERDICTS.find((verdict) => found.some(({ kind }) => kind === verdict)) ?? none;

const TRAP = /unreachable|RuntimeError|out of bounds|stopped \(|has stopped|call stack/i;
const TIME_OUT = /timed out/i;

/** The kind of a test's failure, by its message and tags. */
export function kindOf(message, tags) {
  if (TIME_OUT.test(message)) return 'time-out';
  if (TRAP.test(message)) return 'trap';
  return tags.includes('pin') ? 'pin' : 'behaviour';
}

/** The kind of a test, by its file and name: the first match. */
const KINDS = [
  [/\/snoop_cache\//, 'a plain model in lockstep'],
  [/replay-maps|references\.test/, 'an independent reference'],
  [/^wasm\//, 'a unit test in C'],
  [/agrees with its published figures/, 'a published figure'],
  [/invariants|explore-maps|prove|proving/, 'an invariant, exploration or defect'],
  [/lessons/, 'what a lesson says'],
];

export const kindOfTest = ({ file, test }) =>
  KINDS.find(([pattern]) => pattern.test(`${file} ${test}`))?.[1] ?? 'other behaviour';
