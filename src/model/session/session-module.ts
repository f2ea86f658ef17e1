import { fetched, NotFetched } from '../../base/retry-import';
import { problem } from '../scenario/problems';
import type { OpenResult } from './document';
import type * as SessionModule from './session-module-exports';

const load = () => import('./session-module-exports');

let here: typeof SessionModule | null = null;

/**
 * Loads the module that opens and edits sessions. It is loaded with the first session, so that the gallery appears
 * without it.
 * @throws {NotFetched} if it cannot be fetched
 */
export const loadSessionModule = async (): Promise<typeof SessionModule> =>
  (here ??= await fetched(load));

/** Null until a session has been opened. */
export const loadedSessionModule = (): typeof SessionModule | null => here;

/** For code that runs only while a session is open. */
export function sessionModule(): typeof SessionModule {
  if (!here) throw new Error('No session has been opened yet.');
  return here;
}

/** Opens a document with the session module. It is refused if the module cannot be fetched. */
export async function openWith(
  title: string,
  open: (sessionModule: typeof SessionModule) => Promise<OpenResult>,
): Promise<OpenResult> {
  try {
    return await open(await loadSessionModule());
  } catch (error) {
    if (!(error instanceof NotFetched)) throw error;
    return { ok: false, title, problems: [problem(error.message)], unfetched: true };
  }
}

export const openScenario = (id: string): Promise<OpenResult> =>
  openWith('The scenario could not be opened.', (sessionModule) => sessionModule.openScenario(id));

/** Opens a text: see `openText` of opening.ts. */
export const openText = (text: string, fileName: string): Promise<OpenResult> =>
  openWith(`${fileName} could not be opened.`, (sessionModule) =>
    sessionModule.openText(text, fileName),
  );
