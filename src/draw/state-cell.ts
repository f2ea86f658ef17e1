/** The state of a line in a drawing: fill, letter and pattern, so that it never depends on colour alone. */
import { path, rect, type Shape, words } from './shape';

/** In the order of the codes in maps of many lines, one byte each. */
export const LINE_STATES = ['invalid', 'shared', 'clean', 'dirty', 'stale', 'flight'] as const;
export type LineState = (typeof LINE_STATES)[number];

const LETTERS: Readonly<Record<LineState, string>> = {
  invalid: '·',
  shared: 'S',
  clean: 'P',
  dirty: 'D',
  stale: 'X',
  flight: '~',
};

export const STATE_NAMES: Readonly<Record<LineState, string>> = {
  invalid: 'invalid',
  shared: 'shared',
  clean: 'private clean',
  dirty: 'private dirty',
  stale: 'stale',
  flight: 'in flight',
};

const OF_PROTOCOL: Readonly<Record<string, LineState>> = {
  shared: 'shared',
  private_clean: 'clean',
  private_dirty: 'dirty',
};

/** How a protocol state is drawn: states that are not listed are transient. */
export const stateOf = (name: string): LineState =>
  OF_PROTOCOL[name] ?? (name === 'invalid' || name === 'empty' ? 'invalid' : 'flight');

/** The second mark of a state, beside its letter. */
function pattern(x: number, y: number, width: number, height: number, state: LineState): Shape {
  const [right, low] = [x + width, y + height];
  const cls = `st-pl st-pl-${state}`;
  switch (state) {
    case 'shared':
      return path(`M${x + 3} ${low - 3.5}H${right - 3}`, cls);
    case 'clean':
      return path(`M${x + 2} ${y + 2}H${right - 2}V${low - 2}H${x + 2}z`, cls);
    case 'dirty':
      return path(`M${right - 6} ${y + 0.5}H${right - 0.5}V${y + 6}z`, cls);
    case 'stale':
      return path(`M${x + 1} ${y + 1}H${right - 1}V${low - 1}H${x + 1}z`, cls);
    default:
      return path('', cls);
  }
}

/** Always three shapes, so that a changed cell leaves the elements of its neighbours unchanged. */
export const stateCell = (
  x: number,
  y: number,
  width: number,
  height: number,
  state: LineState,
): Shape[] => [
  rect(x + 0.5, y + 0.5, width - 1, height - 1, `st st-${state}`),
  pattern(x, y, width, height, state),
  words(x + width / 2, y + height / 2 + 3.5, LETTERS[state], `st-l st-l-${state}`),
];

/** A cell without a state: memory that holds the newest data. */
export const emptyCell = (x: number, y: number, width: number, height: number): Shape[] => [
  rect(x + 0.5, y + 0.5, width - 1, height - 1, 'st st-current'),
  path('', 'st-pl'),
  words(x + width / 2, y + height / 2 + 3.5, '', 'st-l'),
];
