/** Whether the editor of the lesson is open. */
import { createStore } from '../../base/store';
import { openLessonPanel } from '../../model/lesson/lesson-panels';

export const AUTHOR = 'lesson-text';

export const author = createStore({ open: false });

export function openAuthor(): void {
  author.setState({ open: true });
  openLessonPanel(AUTHOR);
}

export const closeAuthor = (): void => author.setState({ open: false });
