/** Entry of the worker that unpacks one share link; its creator may end it. */
import type { Port } from '../../engine/worker-protocol';
import { decodeDocument } from './share';
import { serveUnpacking } from './unpacking';

serveUnpacking(globalThis as unknown as Port, decodeDocument);
