/**
 * State hashes in share links. A link contains the state hash at the author's playhead; the reader's engine runs to
 * the same event and reports a difference.
 */
import { count } from '../../base/format';
import { createWorkerEngine } from '../../engine/workers';
import { compile } from '../scenario/compile';
import { engineCommands } from './commands';
import { currentDocument } from './editing';
import { session } from './session';
import { encodeDocument } from './share';

/** Timeout for the hash: a link is made without it if the run up to the playhead takes longer. */
const PATIENCE_MS = 5000;

/** State hash of the open session (without monitors) after this many events; null if it is not available. */
async function hashAfter(events: number): Promise<string | null> {
  const { data, commands, edits, seed, variables } = session.getState();
  if (!data) return null;
  const machine = compile(data, { variables, edits, ...(seed === null ? {} : { seed }) });
  if (!machine.ok) return null;
  const run = {
    config: machine.value.config,
    commands: engineCommands(machine.value, commands),
  };
  const engine = createWorkerEngine();
  const timer = setTimeout(() => engine.cancel(), PATIENCE_MS);
  let hash: string | null = null;
  try {
    const job = { sessions: [run], limit: { untilEvents: events }, hash: true };
    await engine.sweep(job, (result) => {
      hash = result.hash;
    });
  } catch {
    // The error of an engine is reported where the run is shown.
  } finally {
    clearTimeout(timer);
    engine.dispose();
  }
  return hash;
}

/** Encoded link to the session in its present state. */
export async function linkCode(choice: { withAnswers: boolean }): Promise<string> {
  const document = currentDocument(choice);
  return encodeDocument({ ...document, hash: await hashAfter(document.cursor.events) });
}

/**
 * Compares the state at the position of the opened link.
 * @returns a message if it differs
 */
export async function linkDifference(): Promise<string | null> {
  const { expectedHash, cursor, opened } = session.getState();
  if (expectedHash === null) return null;
  const hash = await hashAfter(cursor);
  if (hash === null || hash === expectedHash || session.getState().opened !== opened) return null;
  const place = cursor === 0 ? 'At its beginning' : `After ${count(cursor, 'event')}`;
  return `${place} the machine is in state ${hash.slice(0, 8)}, but the link has state ${expectedHash.slice(0, 8)}: the link was made with another engine or was changed, and its numbers may differ from these.`;
}
