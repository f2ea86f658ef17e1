/**
 * Every scenario opens while a transfer or a piece of work is under way, at the time that it names. The first
 * questions of its lesson seal the run later, so it can be played from there.
 */
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Engine } from '../src/engine/api';
import { createLocalEngine } from '../src/engine/inprocess';
import { parseLesson } from '../src/model/lesson/lesson';
import { limitOfLater, sealOfStep } from '../src/model/lesson/moment';
import type { CompiledMachine } from '../src/model/scenario/compiled';
import { Recorder, type Recording } from '../src/model/session/recorder';
import { createTrace, type Trace } from '../src/model/trace/trace';
import { compiled, SCENARIOS, scenarioAt } from './support/scenarios';

let engine: Engine;
beforeAll(async () => {
  engine = await createLocalEngine();
});
afterAll(() => engine.dispose());

async function recorded(machine: CompiledMachine) {
  const recorder = new Recorder<Trace>(engine);
  const recording = await recorder.record({
    session: { config: machine.config, commands: [] },
    untilPs: machine.untilPs,
    types: machine.parts.map(({ type }) => type),
    makeTrace: () => createTrace(machine),
    onProgress: () => {},
  });
  if (!recording) throw new Error('The recording was replaced.');
  return { recorder, recording };
}

/** States of tracks at a time: what each part is doing. */
const doingAt = (machine: CompiledMachine, { trace }: Recording<Trace>, timePs: number): string[] =>
  machine.parts.flatMap(({ name, type }, part) =>
    type.tracks.flatMap((track) => {
      const span = trace.lane(part, track.name)?.at(timePs);
      return span && span.from < timePs && span.state.style !== 'line'
        ? [`${name}: ${span.state.title}`]
        : [];
    }),
  );

/** Between the opening and the moment of decision there is something to see. */
async function expectSomethingToSee(
  recorder: Recorder<Trace>,
  recording: Recording<Trace>,
  times: readonly [number, number],
): Promise<void> {
  const at: number[] = [];
  for (const timePs of times) {
    await recorder.loadTraceAround(recording, timePs);
    at.push(recording.trace.indexAt(timePs));
  }
  expect((at[1] ?? 0) - (at[0] ?? 0), 'events from the opening to the decision').toBeGreaterThan(2);
}

/** In the sandbox nothing happens before the user's first step. */
const SANDBOX = 'scenarios/start/poke.json';

test.each(SCENARIOS.filter((path) => path !== SANDBOX))(
  '%s opens while something is under way, before its first seal',
  async (path) => {
    const scenario = scenarioAt(path);
    const machine = compiled(scenario);
    const { recorder, recording } = await recorded(machine);
    const file = new URL(`../${dirname(path)}/${scenario.lesson}`, import.meta.url);
    const { steps } = parseLesson(readFileSync(file, 'utf8'));
    const run = {
      machine,
      counters: recording.overview.at(-1)?.counters ?? [],
      endPs: recording.endPs,
      find: (holds: (counters: ArrayLike<number>) => boolean) =>
        recorder.firstWhere(recording, holds),
    };
    const unanswered = () => false;
    const asking = steps.flatMap(({ question }, at) =>
      at > 0 && question?.set === null ? [at] : [],
    );
    const own = await sealOfStep(steps, 0, run, unanswered);
    const later = await limitOfLater(steps, 0, asking, run, unanswered);
    const limit = Math.min(own, later.ps);
    const { fromPs } = scenario.view;
    await recorder.loadTraceAround(recording, fromPs);
    expect(doingAt(machine, recording, fromPs)).not.toEqual([]);
    // Sealed from its start, the run is shown after the answer.
    if (limit === 0) return;
    expect(fromPs).toBeLessThan(limit);
    if (Number.isFinite(limit)) await expectSomethingToSee(recorder, recording, [fromPs, limit]);
  },
  120_000,
);
