/** The session for the frame: a few facts that rarely change, and plain sentences. */

import type { OpenResult } from '../../base/files';
import { shell } from '../../base/shell-state';
import { createStore } from '../../base/store';
import { isGttp } from '../../model/scenario/gttp-import';
import type { LessonFile } from '../../model/scenario/lesson-file';
import { placeOf } from '../../model/scenario/problems';
import { listScenarios } from '../../model/scenario/scenarios';
import type { OpenResult as Opened } from '../../model/session/document';
import type { IsLatest } from '../../model/session/request-token';
import { session as opened, type SessionState } from '../../model/session/session';
import { openScenario as openById, openWith } from '../../model/session/session-module';

export interface OpenSession {
  readonly title: string;
  /** The system's display name. */
  readonly system: string;
  readonly kind: SessionState['kind'];
  /** Absent for a scenario from a file. */
  readonly scenario?: string;
  readonly changes: number;
  /** It has changes that opening the scenario again would not restore. */
  readonly own: boolean;
  /** Id of the saved work that was opened, if any. */
  readonly work?: string;
  readonly canUndo: boolean;
  readonly canRedo: boolean;
  /** Grows with each change of the document, except of the playhead. */
  readonly revision: number;
  /** Grows with each opening. */
  readonly opened: number;
}

export const session = createStore<OpenSession | null>(null);

const facts = (state: SessionState): OpenSession | null => {
  if (state.status !== 'open') return null;
  const { title, system, kind, scenario, changes, canUndo, canRedo, revision, opened } = state;
  const { bookmarks, forks, measured, written } = state;
  const hasNotes = bookmarks.length > 0 || forks.length > 0 || written !== undefined;
  const own = changes > 0 || !scenario || measured !== null || hasNotes;
  return {
    ...{ title, system, kind, changes, own, canUndo, canRedo, revision, opened },
    ...(scenario ? { scenario } : {}),
    ...(state.work ? { work: state.work } : {}),
  };
};

/**
 * Most changes of the model's store (drags, cursors, views) do not touch these facts. Opening another
 * document restores a maximised panel, which would hide its lesson.
 */
opened.subscribe((state) => {
  const next = facts(state);
  if (next && next.opened !== session.getState()?.opened) shell.setState({ maximised: null });
  if (JSON.stringify(next) !== JSON.stringify(session.getState())) session.setState(next, true);
});

const plain = (result: Opened): OpenResult =>
  result.ok
    ? result
    : {
        ...result,
        problems: result.problems.map((problem) => ({
          place: placeOf(problem),
          sentence: problem.message,
        })),
      };

const at = async (...request: Parameters<typeof openWith>): Promise<OpenResult> =>
  plain(await openWith(...request));

export const openScenario = async (id: string): Promise<OpenResult> => plain(await openById(id));

export const openShare = (code: string, signal: AbortSignal): Promise<OpenResult> =>
  at('The link could not be opened.', (sessionModule) =>
    sessionModule.openShare(code, sessionModule.unpackLink, signal),
  );

/** Opens a scenario with its lesson, which is a separate file. */
export const openScenarioWithLesson = (
  scenario: LessonFile,
  lessons: readonly LessonFile[],
): Promise<OpenResult> =>
  at(`${scenario.name} could not be opened.`, async (sessionModule) => {
    const title = `${scenario.name} could not be opened with its lesson.`;
    const both = sessionModule.mergeLessonFile(scenario, lessons);
    return both.ok ? sessionModule.openText(both.value, scenario.name) : { title, ...both };
  });

/** Opens a lesson with the included scenario that it belongs to; its reader may have to choose. */
export const openLesson = (lesson: LessonFile): Promise<OpenResult> =>
  at(`${lesson.name} could not be opened.`, ({ openLoneLesson }) => openLoneLesson(lesson));

/**
 * Measurements need an open lab: if there is none, the first lab is opened. `work` is the id of the saved
 * work that the text belongs to; `turn` is the request token taken before the text was read.
 */
export async function openText(
  text: string,
  fileName: string,
  work: string | null = null,
  turn?: IsLatest,
): Promise<OpenResult> {
  const title = `${fileName} could not be opened.`;
  const lab = listScenarios().find((entry) => entry.kind === 'lab');
  if (isGttp(text) && !session.getState() && lab) {
    if (turn && !turn()) return { ok: true, overtaken: true };
    const opened = await openScenario(lab.id);
    if (!opened.ok || opened.overtaken) return opened;
    return at(title, (sessionModule) => sessionModule.openText(text, fileName, work));
  }
  return at(title, (sessionModule) => sessionModule.openText(text, fileName, work, turn));
}
