/**
 * Makes `vi.waitFor` and `vi.waitUntil` wait as long as the test: their default of one second is too short on a busy
 * machine.
 */
import { vi } from 'vitest';
import { TIME_OUT } from './time-out.mjs';

const { waitFor, waitUntil } = vi;
const patient = (options: number | object = {}) =>
  typeof options === 'number' ? options : { timeout: TIME_OUT, ...options };

vi.waitFor = (callback, options) => waitFor(callback, patient(options));
vi.waitUntil = (callback, options) => waitUntil(callback, patient(options));
