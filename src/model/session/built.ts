/** Reads what is built in the open session: it runs, or it is known why not. */
import type { Problem } from '../scenario/problems';
import { readText } from '../scenario/scenarios';
import { BUILT_FILE } from './document';
import { runBuilt } from './editing';
import { session } from './session';

/** What keeps a text from running. Without problems it runs, if it is still what is built. */
export async function finishBuilt(text: string): Promise<readonly Problem[]> {
  const read = await readText(text, BUILT_FILE);
  if (!read.ok) return read.problems;
  const { built } = session.getState();
  const isOpen = built?.text === text && built.good !== undefined;
  const refused = isOpen ? runBuilt(text, read.value) : null;
  return refused ? [refused] : [];
}
