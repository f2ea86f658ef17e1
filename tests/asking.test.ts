/**
 * The rule of re-entrancy (wasm/core/reentrancy.h): no part calls back along its chain of callers. Every scenario
 * runs on an engine that stops at a violation.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { STRICT } from '../scripts/wasm.mjs';
import { runNative } from './support/native';
import { compiled, SCENARIOS, scenarioAt } from './support/scenarios';

/** BUSYARD_LONG=1 runs further. */
const EVENTS = process.env.BUSYARD_LONG === undefined ? 20_000 : 2_000_000;

const folder = mkdtempSync(join(tmpdir(), 'busyard-'));
const program = join(folder, 'asserting');

beforeAll(() => {
  const flags = ['-D_POSIX_C_SOURCE=200809L', '-DSIM_ASSERTS', '-O0', '-o', program];
  const { stderr, status } = spawnSync('gcc', [...STRICT, ...flags, 'wasm/host/native.c']);
  expect(status, String(stderr)).toBe(0);
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true }));

test('no part calls back along its callers, in any scenario', async () => {
  for (const path of SCENARIOS) {
    const { config, untilPs } = compiled(scenarioAt(path), { traceLog2: 0 });
    const ran = await runNative(config, { untilPs, untilEvents: EVENTS, program }).catch(
      (stopped: Error) => ({ error: stopped.message, events: 0 }),
    );
    expect(ran.error, path).toBeUndefined();
    expect(ran.events, path).toBeGreaterThan(0);
  }
}, 120_000);
