/** The sandbox: steps convert to programs and back, and violations are explained. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createLocalEngine } from '../../engine/inprocess';
import { compile } from '../scenario/compile';
import { withPrograms } from '../scenario/program-overrides';
import { readScenario } from '../scenario/scenarios';
import {
  DEFAULT_SANDBOX_RULES,
  editsOf,
  MAX_SANDBOX_STEPS,
  programsOf,
  rulesOf,
  SANDBOX_ACTIONS,
  SANDBOX_LINES,
  type SandboxAgent,
  type SandboxRules,
  type SandboxStep,
  STEP_PS,
  stepsOfPrograms,
} from './sandbox';
import { createSandboxRuns, isSandboxMachine, type SandboxRun } from './sandbox-run';
import { stepText } from './sandbox-text';
import {
  allViolations,
  CHALLENGES,
  sandboxFixes,
  type ViolationKind,
  violationMeeting,
  violationsOf,
  whyOf,
} from './violations';

const engine = await createLocalEngine();
const read = await readScenario('start/poke');
if (!read.ok) throw new Error(read.problems[0]?.message);
const scenario = read.value;

const CHOICES: readonly SandboxStep[] = Object.entries(SANDBOX_ACTIONS).flatMap(([who, actions]) =>
  actions.flatMap((does) =>
    SANDBOX_LINES.map((line): SandboxStep => ({ who: who as SandboxAgent, does, line })),
  ),
);

/** "cpu0.write disk.read.B" */
const steps = (text: string): SandboxStep[] =>
  text.split(' ').map((word) => {
    const [who, does, line = 'A'] = word.split('.');
    const found = CHOICES.find((one) => one.who === who && one.does === does && one.line === line);
    if (!found) throw new Error(`There is no step ${word}.`);
    return found;
  });

const runs = createSandboxRuns(engine);

async function machineOf(
  sandboxSteps: readonly SandboxStep[],
  rules: SandboxRules = DEFAULT_SANDBOX_RULES,
) {
  const changed = withPrograms(scenario, programsOf(sandboxSteps));
  if (!changed.ok) throw new Error(changed.problems[0]?.message);
  const machine = compile(changed.value, { edits: editsOf(rules), watched: true });
  if (!machine.ok) throw new Error(machine.problems[0]?.message);
  return machine.value;
}

async function runOf(
  sandboxSteps: readonly SandboxStep[],
  rules?: SandboxRules,
): Promise<SandboxRun> {
  const run = await runs(await machineOf(sandboxSteps, rules), sandboxSteps.length);
  if (!run) throw new Error('Another run was begun.');
  return run;
}

const anySteps = fc.array(fc.constantFrom(...CHOICES), { maxLength: MAX_SANDBOX_STEPS });

describe('steps and programs', () => {
  test('convert to each other', () => {
    fc.assert(
      fc.property(anySteps, (sandboxSteps) => {
        expect(stepsOfPrograms(programsOf(sandboxSteps))).toEqual(sandboxSteps);
      }),
    );
  });

  test('hand-written programs are not steps', () => {
    const programs = programsOf(steps('cpu0.write disk.read'));
    const [first, ...others] = programs?.cpu0 ?? [];
    expect(stepsOfPrograms({ ...programs, cpu0: others })).toBeNull();
    expect(
      stepsOfPrograms({ ...programs, cpu0: [{ ...first, time: '11 us' }, ...others] }),
    ).toBeNull();
  });

  test.each([
    ['start/poke', true],
    ['hp/at-work', false],
    ['zx1/one-read', false],
  ])('are supported by a machine with exactly these parts: %s %s', async (id, can) => {
    const read = await readScenario(id);
    const made = read.ok ? compile(read.value) : read;
    expect(made.ok && isSandboxMachine(made.value)).toBe(can);
    expect(made.ok).toBe(true);
  });

  test('rules are parameters of the machine', () => {
    for (const adapter of ['none', 'snooped', 'coherent'] as const)
      for (const forgets of [false, true])
        expect(rulesOf(editsOf({ adapter, forgets }))).toEqual({ adapter, forgets });
  });

  test('made faster than they run do not interfere', async () => {
    const [one, two, three] = ['cpu1.write.B', 'cpu1.write.B disk.read.B', 'cpu0.read'].map(steps);
    const [first, second, third] = await Promise.all(
      [one, two, three].map((sandboxSteps = []) => machineOf(sandboxSteps)),
    );
    if (!first || !second || !third || !two) throw new Error('There are three.');
    const alone = await runOf(two);
    const begun = [runs(third, 1), runs(first, 1), runs(second, 2)];
    const [older, old, newest] = await Promise.all(begun);
    expect([older, old]).toEqual([null, null]);
    expect(newest?.steps).toEqual(alone.steps);
    const late = runs(third, 1);
    // It has opened its machine by then, but made no step.
    for (let turns = 0; turns < 4; turns++) await Promise.resolve();
    expect((await runs(second, 2))?.steps).toEqual(alone.steps);
    expect(await late).toBeNull();
  });

  test('everything that a step starts ends before the next', async () => {
    const all = CHOICES.filter(({ line }) => line === 'A');
    for (const adapter of ['none', 'snooped', 'coherent'] as const) {
      const run = await runOf(all, { adapter, forgets: false });
      for (const { events } of run.steps.slice(1))
        expect(events.at(-1)?.afterPs ?? 0).toBeLessThan(STEP_PS / 2);
    }
  });
});

interface Case {
  readonly steps: string;
  readonly rules?: Partial<SandboxRules>;
  readonly kind: ViolationKind;
  readonly chain: readonly string[];
}

/** The shortest solution of each challenge, and its explanation. */
const CASES: readonly Case[] = [
  {
    steps: 'cpu1.write disk.read',
    kind: 'device_old',
    chain: [
      'Cache 1 has held this line private dirty since step 1',
      'the value of step 1 is there, and not in memory',
      'I/O adapter is not coherent: it does not snoop',
      'No dma_sync of these bytes came before',
    ],
  },
  {
    steps: 'cpu0.read disk.write cpu0.read',
    kind: 'load_old',
    chain: [
      'Cache 0 has had its copy since step 1',
      'invalidates no cache lines',
      'made the value of step 2 to memory in step 2',
    ],
  },
  {
    steps: 'cpu0.write disk.write cpu1.flush',
    kind: 'overwritten',
    chain: [
      'Cache 0 still held the line from before the value of step 2',
      'the value of step 1 is older',
    ],
  },
  {
    steps: 'cpu0.write.B cpu1.purge.B',
    rules: { adapter: 'snooped' },
    kind: 'purged',
    chain: ['Cache 0 held the line private dirty since step 1', 'A flush would have'],
  },
  {
    steps: 'driver.map disk.read driver.unmap disk.write',
    rules: { adapter: 'coherent', forgets: true },
    kind: 'unmapped',
    chain: ['took the page back in step 3', 'still has the old translation'],
  },
];

describe('a violation', () => {
  test.each(CASES)('$kind by $steps has an explanation and a fix', async (one) => {
    const { steps: text, kind, chain } = one;
    const sandboxSteps = steps(text);
    const rules = { ...DEFAULT_SANDBOX_RULES, ...one.rules };
    const run = await runOf(sandboxSteps, rules);
    const violations = allViolations(run, sandboxSteps);
    expect(violations.map((violation) => [violation.kind, violation.step])).toEqual([
      [kind, sandboxSteps.length],
    ]);
    const [violation] = violationsOf(run, sandboxSteps, sandboxSteps.length);
    if (!violation) throw new Error('No violation.');
    for (const words of chain) expect(whyOf(run, violation)).toContain(words);
    const challenge = CHALLENGES.find(
      (known) => violationMeeting(known, violations, rules) && known.kinds.includes(kind),
    );
    expect(challenge?.fewest).toBe(sandboxSteps.length);
    for (const fix of sandboxFixes(sandboxSteps, rules, violation)) {
      const fixed = await runOf(fix.userSteps, fix.rules);
      expect(
        allViolations(fixed, fix.userSteps).map((left) => `${fix.title}: ${left.kind}`),
      ).toEqual([]);
    }
  });

  test('does not occur if the adapter snoops and no step purges or forgets', async () => {
    const safe = CHOICES.filter(({ does }) => does !== 'purge');
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...safe), { maxLength: 10 }),
        async (sandboxSteps) => {
          for (const adapter of ['snooped', 'coherent'] as const) {
            const run = await runOf(sandboxSteps, { adapter, forgets: false });
            expect(allViolations(run, sandboxSteps)).toEqual([]);
            expect(run.steps.flatMap(({ broken }) => broken)).toEqual([]);
          }
        },
      ),
      { numRuns: 15 },
    );
  });

  test('needs the stated number of steps: one is never enough, two only with a read or a purge', async () => {
    const onA = CHOICES.filter(({ line, who }) => line === 'A' && who !== 'cpu1');
    const kinds = new Set<string>();
    for (const first of onA)
      for (const second of onA)
        for (const violation of allViolations(await runOf([first, second]), [first, second]))
          kinds.add(`${violation.kind} ${violation.step}`);
    expect([...kinds].sort()).toEqual(['device_old 2', 'purged 2']);
  });
});

test('a step describes the source of its data, the changes, and the new state', async () => {
  const sandboxSteps = steps('cpu0.write cpu1.read disk.write cpu1.read disk.read');
  const run = await runOf(sandboxSteps);
  const sentence = (step: number) => stepText(run, sandboxSteps, step, DEFAULT_SANDBOX_RULES);
  expect(sentence(1)).toBe(
    'CPU 0 writes line A: the newest value is 1. CPU 0’s copy is private dirty now.',
  );
  expect(sentence(2)).toBe(
    'CPU 1 reads line A and gets 1, from CPU 0’s cache. CPU 0’s copy is shared now, and CPU 1’s copy is shared now, and memory has 1 now.',
  );
  expect(sentence(4)).toBe('CPU 1 reads line A and gets 1, from its own cache.');
  expect(sentence(5)).toBe('The disk reads line A and gets 3, from memory.');
});

test('without a translation the disk gets nothing, with the reason', async () => {
  const sandboxSteps = steps('disk.read driver.map disk.read');
  const rules = { adapter: 'coherent', forgets: false } as const;
  const run = await runOf(sandboxSteps, rules);
  expect(stepText(run, sandboxSteps, 1, rules)).toContain('gets nothing');
  expect(stepText(run, sandboxSteps, 3, rules)).toContain('gets 0, as it was');
});
