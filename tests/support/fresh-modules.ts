/** Consecutive test files of a process share compiled modules, but no stores. */
import { vi } from 'vitest';

vi.resetModules();
