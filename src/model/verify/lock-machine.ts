/**
 * Machines of three threads and one lock: one of low priority has it, one of high priority wants it, and one between has
 * nothing to do with it. A prover that is wired to nothing leaves the order of events open.
 */

export interface LockShape {
  /** How often the lock is taken by each that wants it. */
  readonly rounds: number;
  /** Whether the important thread runs on a processor of its own. */
  readonly apart: boolean;
}

/** Longer than all steps of a way together: how much of a time is left makes no difference. */
const LONG = '1 ms';
const TIMES = { switch_time: LONG, wake_time: LONG, interrupt_time: LONG, quantum: '1 s' };

const PLACES = {
  prover: { title: 'Any order', at: [24, 4, 260, 42] },
  cpu: { title: 'Processor', at: [24, 64, 260, 62] },
  other: { title: 'Another processor', at: [306, 64, 260, 62] },
  kernel: { title: 'Kernel', at: [24, 164, 542, 48] },
} as const;

const spend = { do: 'spend', time: LONG };
const sleep = { do: 'sleep', time: LONG };

/** Parts, wires and programs of such a machine; `own` are parameters that differ, by part. */
export function lockMachine(
  { rounds, apart }: LockShape,
  own: Readonly<Record<string, Readonly<Record<string, string | boolean>>>>,
) {
  const part = (name: keyof typeof PLACES, type: string, params: object) => ({
    [name]: { type, ...PLACES[name], params: { ...params, ...own[name] } },
  });
  const turns = (priority: number, work: readonly object[]) => [
    { do: 'thread', count: priority },
    { do: 'repeat', count: rounds },
    ...work,
    { do: 'again' },
  ];
  const locked = [{ do: 'lock' }, spend, { do: 'unlock' }];
  const cpus = apart ? (['cpu', 'other'] as const) : (['cpu'] as const);
  return {
    machine: {
      parts: {
        ...Object.assign({}, ...cpus.map((cpu) => part(cpu, 'processor', TIMES))),
        ...part('kernel', 'kernel', { call_time: LONG }),
      },
      wires: cpus.map((cpu, i) => [`${cpu}.os`, `kernel.cpu${i}`]),
    },
    programs: {
      low: turns(1, locked),
      middle: turns(5, [sleep, spend]),
      high: turns(9, [sleep, ...locked]),
    },
    workload: apart
      ? { cpu: ['low', 'middle'], other: 'high' }
      : { cpu: ['low', 'middle', 'high'] },
    prover: PLACES.prover,
  };
}
