// What a mutant is noticed by: the strongest of what failed.

/** From strong to weak: a trap says that something is wrong but not what; a pinned number could be pinned again. */
const VERDICTS = ['behaviour', 'trap', 'time-out', 'pin'];

export const verdictOf = (found, none = 'survived') =>
  VERDICTS.find((verdict) => found.some(({ kind }) => kind === verdict)) ?? none;

const TRAP = /unreachable|RuntimeError|out of bounds|stopped \(|has stopped|call stack/i;
const TIME_OUT = /timed out/i;

/** As what a test failed, by what it said and its tags. */
export function kindOf(message, tags) {
  if (TIME_OUT.test(message)) return 'time-out';
  if (TRAP.test(message)) return 'trap';
  return tags.includes('pin') ? 'pin' : 'behaviour';
}

/** What kind of test, by its file and name: the first that fits. */
const KINDS = [
  [/\/snoop_cache\//, 'a plain model in lockstep'],
  [/replay-maps|references\.test/, 'an independent reference'],
  [/^wasm\//, 'a unit test in C'],
  [/agrees with what was published/, 'a published figure'],
  [/invariants|explore-maps|prove|proving/, 'an invariant, exploration or defect'],
  [/lessons/, 'what a lesson says'],
];

export const kindOfTest = ({ file, test }) =>
  KINDS.find(([pattern]) => pattern.test(`${file} ${test}`))?.[1] ?? 'other behaviour';
