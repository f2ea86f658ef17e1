// Engines with all mutants, in this process: each instance gets the active mutant, and reports its coverage
// and whether it stopped. See mutant.h.
import { REACHED } from './builds.mjs';

const Real = WebAssembly.Instance;

/** Loop iterations before an instance counts as endless: some seconds. */
const TICKS = 1_000_000_000n;
const ALL_ONES = 2n ** 64n - 1n;

/** Remembered instances; of more, the first, which a test file shares, and the last. */
const [MOST, SHARED] = [24, 4];

let number = 0;
let held = [];
let reached = new Set();
let stopped = null;

const view = ({ memory }) => new DataView(memory.buffer);

/** Collects the coverage of instances, and resets it. */
function harvest() {
  for (const exports of held) {
    const bytes = new Uint8Array(exports.memory.buffer, exports.sim_reached_at(), REACHED);
    for (let at = bytes.indexOf(1); at >= 0; at = bytes.indexOf(1, at + 1)) reached.add(at);
    bytes.fill(0);
  }
}

function noteStop(exports) {
  const endless = view(exports).getBigUint64(exports.sim_ticks_at(), true) === ALL_ONES;
  stopped = endless ? 'time-out' : (stopped ?? 'trap');
}

const watched = (exports, call) =>
  typeof call !== 'function'
    ? call
    : (...args) => {
        try {
          return call(...args);
        } catch (error) {
          noteStop(exports);
          throw error;
        }
      };

function Instance(module, imports) {
  const { exports } = new Real(module, imports);
  if (exports.sim_mutant_at) {
    view(exports).setUint32(exports.sim_mutant_at(), number, true);
    view(exports).setBigUint64(exports.sim_ticks_at(), TICKS, true);
    if (held.length >= MOST) {
      harvest();
      held.splice(SHARED, 1);
    }
    held.push(exports);
  }
  const calls = Object.entries(exports).map(([name, one]) => [name, watched(exports, one)]);
  return { exports: Object.fromEntries(calls) };
}

/** Tracks every new instance of an engine. */
export const watchInstances = () => {
  WebAssembly.Instance = Instance;
};

/** Sets the active mutant of all later instances. */
export function choose(mutant) {
  number = mutant;
  held = [];
  take();
}

/** The activity of instances since the last call: coverage, and how one stopped, if it did. */
export function take() {
  harvest();
  const done = { reached: [...reached], stopped };
  reached = new Set();
  stopped = null;
  return done;
}
