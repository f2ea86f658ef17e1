/** The lesson of the open session, parsed once per text. */
import { derive, type Readable } from '../../base/store';
import { session } from '../session/session';
import { type Lesson, parseLesson } from './lesson';

let parsed: { readonly text: string; readonly lesson: Lesson } | null = null;

function lessonOfSession(): Lesson | null {
  const { lesson: text } = session.getState();
  if (text === null) return null;
  if (parsed?.text !== text) parsed = { text, lesson: parseLesson(text) };
  return parsed.lesson;
}

/** Null if no lesson is open. */
export const openLesson: Readable<Lesson | null> = derive([session], lessonOfSession);
