/** A run of very many events reports its progress, can be stopped, and continues from there. */
import { expect, test } from 'vitest';
import { inlineChecks, inlineCode } from '../src/engine/engine-code-inline';
import { Host } from '../src/engine/host';
import { Recorder, type Recording } from '../src/model/session/recorder';
import { createTrace, type Trace } from '../src/model/trace/trace';
import { compiled, scenarioAt } from './support/scenarios';

test('a run of 10^9 events reports its progress, stops and continues', async () => {
  const machine = compiled(scenarioAt('scenarios/gt/under-load.json'), {
    edits: { 'ring.update_every': '3 ps' },
  });
  const host = new Host(await inlineCode(), inlineChecks);
  const recorder = new Recorder<Trace>(host);
  const counts: number[] = [];
  const halts: number[] = [];
  let last: Recording<Trace> | undefined;
  const recorded = recorder.record({
    session: { config: machine.config, commands: [] },
    untilPs: machine.untilPs,
    types: machine.parts.map(({ type }) => type),
    makeTrace: () => createTrace(machine),
    onLong: ({ events }) => {
      counts.push(events);
      if (counts.length === 2 || counts.length === 3) recorder.stopRecording();
      if (counts.length === 4) recorder.stop();
    },
    onProgress: (recording) => {
      last = recording;
      if (!recording.paused) return;
      halts.push(recording.endEvents);
      setTimeout(() => recorder.resume());
    },
  });
  expect(await recorded).toBeNull();
  expect(counts).toHaveLength(4);
  expect(counts.every((count, i) => i === 0 || count > (counts[i - 1] ?? 0))).toBe(true);
  expect(halts).toEqual(counts.slice(1, 3));
  expect(last).toMatchObject({ complete: false, paused: false, endEvents: counts[3] });
});
