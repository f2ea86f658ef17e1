/** What each processor's time went into, as one bar: the network, applications, the kernel, nothing. */
import { percent } from '../../base/format';
import type { RealTimeLog } from '../../model/real-time/log';
import { SHARES } from '../../model/real-time/shares';
import type { Trace } from '../../model/run/trace';
import { glyph } from '../glyph';
import { widthOf } from '../lab/text';
import { rect, type Shape, words } from '../shape';

const CLASSES = { network: 'a-lan', copy: 'a-disk', work: 'a-cpu', kernel: 'ink3f' } as const;

export interface CpuShare {
  readonly title: string;
  /** As the list above, each from 0 to 1. */
  readonly shares: readonly number[];
  /** The same by thread. */
  readonly threads: readonly { readonly name: string; readonly share: number }[];
}

/** How the processors spent the time from the start to a point in time. */
export function cpuShares(log: RealTimeLog, trace: Trace, timePs: number): CpuShare[] {
  const from = trace.record(trace.first)?.timePs ?? 0;
  const length = Math.max(1, timePs - from);
  return log.roles.cpus.map((cpu) => {
    const spent = trace.lane(cpu.part, 'cpu')?.timeByState(from, timePs);
    const shareOf = (states: readonly string[]) =>
      states.reduce((sum, state) => sum + (spent?.get(state) ?? 0), 0) / length;
    const threads = log.tasks.tasks
      .filter((task) => task.cpu === cpu && task.hasRun)
      .map(({ name, lane }) => {
        const all = [...lane.timeByState(from, timePs)];
        const ran = all.reduce((sum, [state, ps]) => sum + (state === 'ready' ? 0 : ps), 0);
        return { name, share: ran / length };
      });
    return { title: cpu.title, shares: SHARES.map(({ states }) => shareOf(states)), threads };
  });
}

const LEFT = 12;
const NUMBERS = 46;
const BAR = 15;
const PITCH = 44;

export function shareShapes(cpus: readonly CpuShare[], width: number): Shape[] {
  const right = width - NUMBERS;
  return cpus.flatMap(({ title, shares, threads }, index) => {
    const y = 4 + index * PITCH;
    const said = threads.map(({ name, share }) => `${name} ${percent(share * 100)}`).join(', ');
    const fits = widthOf(said, 10.5) + widthOf(title, 11.5) + 40 < right;
    const shapes: Shape[] = [
      glyph(index > 0 ? 'os' : 'cpu', LEFT + 4, y + 7, 4),
      words(LEFT + 14, y + 11, title, 't11 b6'),
      ...(fits ? [words(right, y + 11, said, 't10 i2 end')] : []),
      rect(LEFT, y + 17, right - LEFT, BAR, 'l1f'),
    ];
    let x = LEFT;
    shares.forEach((share, i) => {
      const wide = share * (right - LEFT);
      shapes.push(rect(x, y + 17, wide, BAR, CLASSES[SHARES[i]?.kind ?? 'kernel']));
      const number = percent(share * 100);
      if (wide > widthOf(number, 10.5) + 6)
        shapes.push(words(x + wide / 2, y + 17 + BAR / 2 + 3.6, number, 't10 on mid'));
      x += wide;
    });
    const busy = shares.reduce((sum, share) => sum + share, 0);
    shapes.push(words(right + 6, y + 17 + BAR / 2 + 4, percent(busy * 100), 't11 b6'));
    return shapes;
  });
}

/** One sentence for each processor. */
export const shareSentences = (cpus: readonly CpuShare[]): string[] =>
  cpus.map(({ title, shares, threads }) => {
    const parts = SHARES.flatMap(({ title: what }, i) => {
      const share = shares[i] ?? 0;
      return share > 0 ? [`${what} ${percent(share * 100)}`] : [];
    });
    const whose = threads.map(({ name, share }) => `${name} ${percent(share * 100)}`).join(', ');
    return `${title}: ${parts.join(', ') || 'nothing'}. By thread: ${whose || 'none'}.`;
  });
