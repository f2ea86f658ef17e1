/** The model's session as the frame sees it: a few facts that change seldom, and plain sentences. */
import type { OpenResult } from '../base/files';
import { createStore } from '../base/store';
import { isGttp } from '../model/gttp';
import { placeOf } from '../model/problems';
import { listScenarios } from '../model/scenarios';
import * as model from '../model/session';

export interface OpenSession {
  readonly title: string;
  /** The system's name as people write it. */
  readonly system: string;
  readonly kind: 'lab' | 'machine';
  /** Absent for a scenario from a file. */
  readonly scenario?: string;
  readonly changes: number;
  readonly canUndo: boolean;
  readonly canRedo: boolean;
  /** Grows with each edit. */
  readonly revision: number;
  /** Grows with each opening. */
  readonly opened: number;
}

export const session = createStore<OpenSession | null>(null);

const facts = (state: model.SessionState): OpenSession | null => {
  if (state.status !== 'open') return null;
  const { title, system, kind, scenario, changes, canUndo, canRedo, revision, opened } = state;
  const common = { title, system, kind, changes, canUndo, canRedo, revision, opened };
  return scenario ? { ...common, scenario } : common;
};

/** Drags, cursors and views change the model's store often, and these facts not at all. */
model.session.subscribe((state) => {
  const next = facts(state);
  if (JSON.stringify(next) !== JSON.stringify(session.getState())) session.setState(next, true);
});

const plain = (result: model.OpenResult): OpenResult =>
  result.ok
    ? result
    : {
        ...result,
        problems: result.problems.map((problem) => ({
          place: placeOf(problem),
          sentence: problem.message,
        })),
      };

export const openScenario = async (id: string): Promise<OpenResult> =>
  plain(await model.openScenario(id));

export const openShare = async (code: string): Promise<OpenResult> =>
  plain(await model.decodeShare(code));

/** Measurements need a lab to be seen beside; without one open, the first lab is opened for them. */
export async function openText(text: string, fileName: string): Promise<OpenResult> {
  const lab = listScenarios().find((entry) => entry.kind === 'lab');
  if (isGttp(text) && !session.getState() && lab) {
    const opened = await openScenario(lab.id);
    if (!opened.ok) return opened;
  }
  return plain(await model.openText(text, fileName));
}
