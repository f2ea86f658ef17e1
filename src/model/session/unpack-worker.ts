/** Entry of the worker that decodes one share link. Its creator may terminate it. */
import type { Port } from '../../engine/worker-protocol';
import { decodeDocument } from './share';
import { serveUnpacking } from './unpacking';

serveUnpacking(globalThis as unknown as Port, decodeDocument);
