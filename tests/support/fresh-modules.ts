/** Test files that follow each other in one process share what it has compiled, and none of its stores. */
import { vi } from 'vitest';

vi.resetModules();
