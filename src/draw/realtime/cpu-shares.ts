/** The time of each processor as one bar: network, applications, kernel, idle. */
import { percent } from '../../base/format';
import { SHARES } from '../../model/realtime/cpu-shares';
import type { RealTimeLog } from '../../model/realtime/realtime-log';
import type { Trace } from '../../model/trace/trace';
import { glyph } from '../glyph';
import { rect, type Shape, words } from '../shape';
import { widthOf } from '../text-width';

const CLASSES = { network: 'a-lan', copy: 'a-disk', work: 'a-cpu', kernel: 'ink3f' } as const;

export interface CpuShare {
  readonly title: string;
  /** In the order of the list above, each from 0 to 1. */
  readonly shares: readonly number[];
  /** Some of its time is asked about: the rest of its bar is sealed from there on. */
  readonly isSealed: boolean;
  /** The same by thread. */
  readonly threads: readonly { readonly name: string; readonly share: number }[];
}

/** Whether the open question asks for the time a processor spends in one of these states. */
type Asks = (part: number, states: readonly string[]) => boolean;

/**
 * How the processors spent the time from the start to a given time. What is asked for is left out, with the threads,
 * whose shares add up to it.
 */
export function cpuShares(
  log: RealTimeLog,
  trace: Trace,
  timePs: number,
  asks: Asks = () => false,
): CpuShare[] {
  const from = trace.record(trace.first)?.timePs ?? 0;
  const length = Math.max(1, timePs - from);
  return log.roles.cpus.map((cpu) => {
    const spent = trace.lane(cpu.part, 'cpu')?.timeByState(from, timePs);
    const isSealed = SHARES.some(({ states }) => asks(cpu.part, states));
    const shareOf = (states: readonly string[]) =>
      asks(cpu.part, states)
        ? 0
        : states.reduce((sum, state) => sum + (spent?.get(state) ?? 0), 0) / length;
    const threads = log.tasks.tasks
      .filter((task) => task.cpu === cpu && task.hasRun && !isSealed)
      .map(({ name, lane }) => {
        const all = [...lane.timeByState(from, timePs)];
        const ran = all.reduce((sum, [state, ps]) => sum + (state === 'ready' ? 0 : ps), 0);
        return { name, share: ran / length };
      });
    const shares = SHARES.map(({ states }) => shareOf(states));
    return { title: cpu.title, shares, isSealed, threads };
  });
}

const LEFT = 12;
const NUMBERS = 46;
const BAR = 15;
const PITCH = 44;
/** On a sheet too low for text above each bar, the processors' names are beside the bars. */
const LOW_PITCH = 19;

interface Bar {
  readonly left: number;
  readonly right: number;
  readonly top: number;
}

/** Bars of all processors on a sheet; a sheet that is too low is scrolled. */
export function shareShapes(cpus: readonly CpuShare[], width: number, height: number): Shape[] {
  const right = width - NUMBERS;
  const isLow = cpus.length * PITCH > height;
  const names = Math.max(0, ...cpus.map(({ title }) => widthOf(title, 11.5)));
  return cpus.flatMap((cpu, index) => {
    const y = 4 + index * (isLow ? LOW_PITCH : PITCH);
    const bar = isLow
      ? { left: LEFT + 14 + names + 8, right, top: y }
      : { left: LEFT, right, top: y + 17 };
    return [
      glyph(index > 0 ? 'os' : 'cpu', LEFT + 4, y + 7, 4),
      words(LEFT + 14, y + 11, cpu.title, 't11 b6'),
      ...(isLow ? [] : threadWords(cpu, right, y + 11)),
      ...barShapes(cpu, bar),
    ];
  });
}

/** Height needed by the bars of this many processors. */
export const sharesHeight = (count: number, height: number): number =>
  count * PITCH <= height ? height : Math.max(height, 8 + count * LOW_PITCH);

/** Its threads by name, where there is room beside that of the processor. */
function threadWords({ title, threads }: CpuShare, right: number, y: number): Shape[] {
  const threadTexts = threads
    .map(({ name, share }) => `${name} ${percent(share * 100)}`)
    .join(', ');
  const fits = widthOf(threadTexts, 10.5) + widthOf(title, 11.5) + 40 < right;
  return fits ? [words(right, y, threadTexts, 't10 i2 end')] : [];
}

function barShapes({ shares, isSealed }: CpuShare, { left, right, top }: Bar): Shape[] {
  const shapes: Shape[] = [rect(left, top, right - left, BAR, 'l1f')];
  let x = left;
  shares.forEach((share, i) => {
    const wide = share * (right - left);
    shapes.push(rect(x, top, wide, BAR, CLASSES[SHARES[i]?.kind ?? 'kernel']));
    const number = percent(share * 100);
    if (wide > widthOf(number, 10.5) + 6)
      shapes.push(words(x + wide / 2, top + BAR / 2 + 3.6, number, 't10 on mid'));
    x += wide;
  });
  if (isSealed)
    return [
      ...shapes,
      rect(x, top, right - x, BAR, 'seal'),
      words((x + right) / 2, top + BAR / 2 + 3.6, 'your guess?', 't10 b6 mid acc'),
    ];
  const busy = shares.reduce((sum, share) => sum + share, 0);
  return [...shapes, words(right + 6, top + BAR / 2 + 4, percent(busy * 100), 't11 b6')];
}

/** One sentence for each processor. */
export const shareSentences = (cpus: readonly CpuShare[]): string[] =>
  cpus.map(({ title, shares, isSealed, threads }) => {
    const parts = SHARES.flatMap(({ title: what }, i) => {
      const share = shares[i] ?? 0;
      return share > 0 ? [`${what} ${percent(share * 100)}`] : [];
    });
    const threadTexts = threads
      .map(({ name, share }) => `${name} ${percent(share * 100)}`)
      .join(', ');
    if (isSealed)
      return `${title}: ${[...parts, 'the rest is sealed until you answer'].join(', ')}.`;
    return `${title}: ${parts.join(', ') || 'nothing'}. By thread: ${threadTexts || 'none'}.`;
  });
