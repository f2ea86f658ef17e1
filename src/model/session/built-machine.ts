/** Reads the machine built in the open session, and runs it or reports why it cannot run. */
import type { Problem } from '../scenario/problems';
import { readText } from '../scenario/scenarios';
import { BUILT_FILE } from './document';
import { runBuilt } from './editing';
import { session } from './session';

/**
 * Runs the built text unless it has changed meanwhile.
 * @returns its problems
 */
export async function finishBuilt(text: string): Promise<readonly Problem[]> {
  const read = await readText(text, BUILT_FILE);
  if (!read.ok) return read.problems;
  const { built } = session.getState();
  const isOpen = built?.text === text && built.good !== undefined;
  const refused = isOpen ? runBuilt(text, read.value) : null;
  return refused ? [refused] : [];
}
