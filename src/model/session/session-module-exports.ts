/** Exports of the lazily loaded session module. It includes most of the model and the reference of all parts. */

export { mergeLessonFile } from '../scenario/lesson-file';
export { scalarOf } from '../scenario/settings';
export { applySetting } from './apply-setting';
export { finishBuilt } from './built-machine';
export {
  canCheckDrivers,
  canWatch,
  currentDocument,
  redoEdit,
  resetAll,
  saveText,
  scenarioFileText,
  toggleChecked,
  toggleWatched,
  undoEdit,
} from './editing';
export { linkDifference } from './link';
export { openLoneLesson } from './lone-lesson';
export { openScenario, openShare, openText } from './opening';
export { encodeDocument } from './share';
export { unpackLink } from './unpack-page';
