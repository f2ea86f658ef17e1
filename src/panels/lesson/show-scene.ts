/** Shows what a step of a lesson names: plays to its time, frames its interval, marks its parts and opens its panel. */
import { shell } from '../../base/shell-state';
import { shownWindow } from '../../controllers/usePlayheadWindow';
import { openLessonPanel } from '../../model/lesson/lesson-panels';
import { isQuestionRun } from '../../model/lesson/question-run';
import type { Scene } from '../../model/lesson/scene';
import { partNamed } from '../../model/scenario/compiled';
import { player } from '../../model/session/open-run';
import { markParts } from '../../model/session/selection';
import { session } from '../../model/session/session';

/** Duration of playing to the time of a step, in milliseconds. */
const WAY_MS = 900;

/** A step without a scene clears the marks. Times are those of the scenario's initial run. */
export async function showScene(scene: Scene | null): Promise<void> {
  const { machine } = session.getState();
  if (!scene || !machine) return markParts([]);
  markParts(scene.parts.flatMap((name) => partNamed(machine, name)?.index ?? []));
  if (scene.panel !== null) openLessonPanel(scene.panel);
  if (!isQuestionRun({ set: null })) return;
  player.pause();
  await player.playTo(scene.timePs, shell.getState().reducedMotion ? 0 : WAY_MS);
  const [from, to] = scene.zoom ?? [];
  if (from !== undefined && to !== undefined) shownWindow.setState({ from, to }, true);
}
