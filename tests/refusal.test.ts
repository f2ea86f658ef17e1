/** The engine opens any session or refuses it with a sentence. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EngineError } from '../src/engine/api';
import { Core } from '../src/engine/core';
import { inlineChecks, inlineCode } from '../src/engine/engine-code-inline';
import { FAULT } from '../src/engine/engine-errors';
import { LAYOUT_HASH } from '../src/engine/gen/layout';
import { Host } from '../src/engine/host';
import { gtMachine, gtSession, PART, paramIndex } from './support/machines';
import type { TestMachine } from './support/sessions';

const code = await inlineCode();
const good = gtSession();

/** The error with which a core refuses a session; null if it opens. */
function refusal(core: Core, config: Uint8Array, failAllocation = 0): EngineError | null {
  try {
    core.open(config, { failAllocation });
    return null;
  } catch (error) {
    if (error instanceof EngineError) return error;
    throw error;
  }
}

function stateAfter(core: Core, events: number): string {
  core.open(good);
  core.run(Number.POSITIVE_INFINITY, events);
  return core.hash();
}

const part = (index: number, change: Partial<TestMachine['parts'][0]>): Partial<TestMachine> => ({
  parts: gtMachine().parts.map((one, i) => (i === index ? { ...one, ...change } : one)),
});

describe('a machine is refused', () => {
  test.each<[string, Partial<TestMachine>, number, number, RegExp]>([
    ['of another build', { layoutHash: LAYOUT_HASH ^ 1 }, FAULT.badLayout, -1, /another build/],
    ['of another format', { version: 99 }, FAULT.badHeader, -1, /not a session/],
    ['with too large a trace', { traceLog2: 30 }, FAULT.tooMany, -1, /limit is 24/],
    ['with a missing wire', { wires: [] }, FAULT.unwired, PART.cache, /Cache.*port "/],
    [
      'with a port wired twice',
      { wires: [...(gtMachine().wires ?? []), [1, 'cpu', 0, 'front']] },
      ...([FAULT.badWire, PART.cache, /Wire 9/] as const),
    ],
    [
      'with a program that has no end',
      part(PART.cpu, { tables: { program: [{ do: 'spend' }] } }),
      ...([FAULT.badRow, PART.cpu, /Row 1 /] as const),
    ],
    [
      'with DMA that is not in whole words',
      part(PART.cpu, {
        tables: { program: [{ do: 'dma_write', to: '0x80000000', bytes: '6 B' }, { do: 'end' }] },
      }),
      ...([FAULT.unalignedDma, PART.cpu, /whole, aligned 32-bit words/] as const),
    ],
  ])('%s', (_, change, fault, where, sentence) => {
    const error = refusal(new Core(code), gtSession(change));
    expect(error).toMatchObject({ code: fault, part: where });
    expect(error?.message).toMatch(sentence);
  });

  test('if any allocation of memory fails; the same core opens it afterwards', () => {
    const core = new Core(code);
    const fresh = stateAfter(new Core(code), 500);
    let nth = 1;
    for (; nth < 1000; nth++) {
      const error = refusal(core, good, nth);
      if (!error) break;
      expect(error.code).toBe(FAULT.noMemory);
      expect(error.message).toMatch(/MiB of memory/);
      if (nth % 10 === 0) expect(stateAfter(core, 500)).toBe(fresh);
    }
    expect(nth).toBeGreaterThan(20);
    expect(nth).toBeLessThan(1000);
    expect(stateAfter(core, 500)).toBe(fresh);
  });

  test('if it is truncated anywhere', () => {
    const core = new Core(code);
    for (let length = 0; length < good.length; length++)
      expect(refusal(core, good.subarray(0, length))).toBeInstanceOf(EngineError);
    expect(refusal(core, good)).toBeNull();
  });

  test('if extra data follows it', () => {
    const longer = new Uint8Array(good.length + 4);
    longer.set(good);
    expect(refusal(new Core(code), longer)).toMatchObject({ code: FAULT.truncated });
  });
});

/** Bytes of a session, some of them changed. */
const damaged = fc
  .array(fc.tuple(fc.nat(good.length - 1), fc.integer({ min: 1, max: 255 })), {
    minLength: 1,
    maxLength: 4,
  })
  .map((flips) => {
    const config = good.slice();
    for (const [at, bits] of flips) config[at] = (config[at] ?? 0) ^ bits;
    return config;
  });

describe('garbage', () => {
  test('opens or is rejected; the core works as before afterwards', () => {
    let core = new Core(code);
    const fresh = stateAfter(core, 200);
    fc.assert(
      fc.property(damaged, (config) => {
        refusal(core, config);
        if (core.dead) core = new Core(code);
        expect(stateAfter(core, 200)).toBe(fresh);
      }),
      { numRuns: 300 },
    );
  });

  test('of random words is refused', () => {
    const core = new Core(code);
    const words = fc.uint8Array({ maxLength: 400 });
    fc.assert(
      fc.property(words, (config) => {
        expect(refusal(core, config)).toBeInstanceOf(EngineError);
      }),
      { numRuns: 300 },
    );
  });
});

describe('a refusal', () => {
  const session = { config: good, commands: [] };

  test('leaves the open session in place', async () => {
    const host = new Host(code, inlineChecks);
    await host.open(session);
    await host.run({ untilEvents: 1000 });
    const hash = await host.hash();
    const bad = { config: gtSession({ wires: [] }), commands: [] };
    await expect(host.open(bad)).rejects.toThrow(EngineError);
    expect(await host.hash()).toBe(hash);
    expect(await host.run({ untilEvents: 2000 })).toMatchObject({ events: 2000 });
  });

  test('of a command leaves the commands and the machine as they were', async () => {
    const host = new Host(code, inlineChecks);
    await host.open(session);
    await host.run({ untilEvents: 3000 });
    const hash = await host.hash();
    const param = paramIndex('processor', 'line');
    const notLive = [{ atEvents: 1500, part: PART.cpu, param, value: 64n }];
    await expect(host.setCommands(notLive)).rejects.toMatchObject({
      code: FAULT.notLive,
      part: PART.cpu,
      message: expect.stringContaining('"line" cannot change while'),
    });
    expect(await host.hash()).toBe(hash);
    expect(await host.seekEvents(2000)).toMatchObject({ events: 2000 });
  });

  test('says so if no session is open', async () => {
    await expect(new Host(code, inlineChecks).run({})).rejects.toMatchObject({
      code: FAULT.noSession,
    });
  });
});
