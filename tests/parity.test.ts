/** The native and the WebAssembly engine agree to the last bit. */
import { describe, expect, test } from 'vitest';
import type { RunLimit } from '../src/engine/api';
import { Core } from '../src/engine/core';
import { inlineCode } from '../src/engine/engine-code-inline';
import { FAULT } from '../src/engine/engine-errors';
import type { Explored } from '../src/engine/explore';
import { SIM_REASON } from '../src/engine/gen/abi';
import { exploreLocally } from '../src/engine/inprocess';
import { MEASURE, SessionRunner } from '../src/engine/session';
import { DEFECT_PROOFS } from '../src/model/verify/proof-defects';
import type { Setup } from '../src/model/verify/proof-scenario';
import { PROOFS } from '../src/model/verify/proofs';
import { machineOfProof, prove } from '../src/model/verify/prove';
import { gtSession, PART } from './support/machines';
import { exploreNative, type NativeOptions, runNative } from './support/native';
import { compiled, SCENARIOS, scenarioAt } from './support/scenarios';

const code = await inlineCode();

/** The end of a run in both engines; the native one may be sliced and traced. */
async function bothEnd(config: Uint8Array, limit: RunLimit, options: NativeOptions = {}) {
  const runner = new SessionRunner(new Core(code), { config, commands: [] }, MEASURE);
  const { timePs, events, seq, reason } = runner.run(limit);
  const native = await runNative(config, { ...limit, ...options });
  return [
    { hash: runner.core.hash(), timePs, events, seq, reason },
    {
      hash: native.hash,
      timePs: native.time_ps,
      events: native.events,
      seq: native.seq,
      reason: SIM_REASON[native.reason],
    },
  ];
}

describe('native and WebAssembly end in the same state', () => {
  test.each(SCENARIOS)('in %s', async (path) => {
    const { config, untilPs } = compiled(scenarioAt(path));
    const [wasm, native] = await bothEnd(config, { untilPs });
    expect(native).toEqual(wasm);
    expect(wasm?.events).toBeGreaterThan(0);
  });

  test.each<[string, RunLimit, NativeOptions]>([
    ['with the trace off', { untilEvents: 20_000 }, { trace: false }],
    ['in slices', { untilEvents: 20_000 }, { slice: 7 }],
    ['stopped by time', { untilPs: 123_456_789 }, {}],
  ])('%s', async (_, limit, options) => {
    const [wasm, native] = await bothEnd(gtSession(), limit, options);
    expect(native).toEqual(wasm);
  });
});

test('native and WebAssembly reject the same input', async () => {
  const native = await runNative(gtSession({ wires: [] }));
  expect(native).toMatchObject({ error: FAULT.unwired, part: PART.cache });
});

type Counts = Pick<Explored, 'states' | 'transitions' | 'depth' | 'steps'>;

describe('native and WebAssembly find the same', () => {
  const found = async (of: Setup) => {
    const near = await prove(of, exploreLocally);
    const native = await exploreNative(machineOfProof(of).config);
    const numbers = ({ states, transitions, depth, steps }: Counts) => ({
      ...{ states, transitions, depth, steps },
    });
    expect(numbers(native)).toEqual(numbers(near));
    return { near, native };
  };

  test.each(['processors-2x2', 'coherent-1x1', 'noncoherent-2x1', 'packets-shared'])(
    'in %s',
    async (name) => {
      const proof = PROOFS.find((one) => one.name === name) as (typeof PROOFS)[0];
      const { near } = await found(proof);
      expect(near.end).toBe('complete');
    },
  );

  test.each(['ok_while_dirty', 'purged_first', 'early_message'])(
    'with the defect %s',
    async (name) => {
      const fault = DEFECT_PROOFS.find((one) => one.name === name) as (typeof DEFECT_PROOFS)[0];
      const { near } = await found(fault);
      expect(near.end).toBe('broken');
    },
  );
});
