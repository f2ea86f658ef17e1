/** What opens sessions and works on the open one: with the reference of all parts, most of the model. */
export { scalarOf } from '../lesson/settings';
export { applySetting } from '../lesson/settings-now';
export { finishBuilt } from './built';
export {
  canCheckDrivers,
  canWatch,
  currentDocument,
  redoEdit,
  saveText,
  scenarioFileText,
  toggleChecked,
  toggleWatched,
  undoEdit,
} from './editing';
export { withLesson } from './lesson-beside';
export { linkDifference } from './link';
export { openScenario, openShare, openText } from './opening';
export { encodeDocument } from './share';
export { unpackLink } from './unpack-page';
