/**
 * A share link names the state that its maker saw: the hash at the playhead. The reader's engine runs to the same
 * event, and a difference is reported.
 */
import { count } from '../../base/format';
import { createWorkerEngine } from '../../engine/workers';
import { compile } from '../scenario/compile';
import { engineCommands } from './commands';
import { currentDocument } from './editing';
import { session } from './session';
import { encodeDocument } from './share';

/** A link is wanted now; where the run up to the playhead takes longer, it goes without. */
const PATIENCE_MS = 5000;

/** State hash of the open session, unwatched, after so many events; null if that cannot be had. */
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
    // An engine that cannot start or go on tells so where the run is shown.
  } finally {
    clearTimeout(timer);
    engine.dispose();
  }
  return hash;
}

/** The code of a link to the session as it is now. */
export async function linkCode(choice: { withAnswers: boolean }): Promise<string> {
  const document = currentDocument(choice);
  return encodeDocument({ ...document, hash: await hashAfter(document.cursor.events) });
}

/** Runs to where the opened link says its maker was: a sentence if the machine is in another state there. */
export async function linkDifference(): Promise<string | null> {
  const { expectedHash, cursor, opened } = session.getState();
  if (expectedHash === null) return null;
  const hash = await hashAfter(cursor);
  if (hash === null || hash === expectedHash || session.getState().opened !== opened) return null;
  const place = cursor === 0 ? 'At its beginning' : `After ${count(cursor, 'event')}`;
  return `${place} the machine is in state ${hash.slice(0, 8)}, but the link says ${expectedHash.slice(0, 8)}: it was made by another engine or was changed, and its numbers may differ from these.`;
}
