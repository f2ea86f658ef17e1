/** Entry of the worker that follows the causes of operations. */
import { serveCalls } from '../../engine/worker-calls';
import type { Port } from '../../engine/worker-protocol';
import { pathFollower } from './path-work';

serveCalls(globalThis as unknown as Port, pathFollower());
