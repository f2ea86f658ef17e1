/** What a person may set a parameter to never stops the engine: it runs, or the edit is refused in a sentence. */
import { describe, expect, test } from 'vitest';
import { inlineCode } from '../src/engine/code-inline';
import { Core } from '../src/engine/core';
import { MEASURE, SessionRunner } from '../src/engine/session';
import { heldNative } from './support/native';
import { compiled, SCENARIOS, scenarioAt } from './support/scenarios';

const code = await inlineCode();

describe('no part has more messages under way than its manifest says', () => {
  test.each(SCENARIOS)('in %s', async (path) => {
    const { config, parts, untilPs } = compiled(scenarioAt(path), { traceLog2: 0 });
    const { holds } = await heldNative(config, { untilPs, untilEvents: 50_000 });
    const over = parts.filter((_, i) => {
      const [most, declared] = holds[i] ?? [1, 0];
      return most > declared;
    });
    expect(over.map(({ name }) => name)).toEqual([]);
  });
});

test('a link whose completions are known late holds a whole window of packets for each processor', async () => {
  const edits = { 'nic.latency': '10 ms', 'net.batch': 64 };
  const { config, parts } = compiled(scenarioAt('scenarios/pools/one-lock-or-sixteen.json'), {
    edits,
    variables: { threads: 16 },
    traceLog2: 0,
  });
  const runner = new SessionRunner(new Core(code), { config, commands: [] }, MEASURE);
  runner.run({ untilPs: 60e9 });
  const { holds } = await heldNative(config, { untilPs: 20e9 });
  const [most, declared] = holds[parts.findIndex(({ name }) => name === 'net')] ?? [];
  expect([most, declared]).toEqual([16 * 64, 16 * 64]);
});
