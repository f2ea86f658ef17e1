import { describe, expect, test } from 'vitest';
import { mergeLessonFile, namingLesson } from './lesson-file';

const FILE = `{
  // mine
  "busyard": 1,
  "lesson": "first.md", // beside it
  "title": "A word"
}`;
const scenario = { name: 'first.json', text: FILE };
const LESSON = '# A word\n\n## There\n\nThe "word" goes.\n';

const refused = (...input: Parameters<typeof mergeLessonFile>) => {
  const found = mergeLessonFile(...input);
  return found.ok ? [] : found.problems.map(({ file, message }) => `${file}${message}`);
};

describe('a scenario opened with its lesson', () => {
  test('contains its text and is otherwise unchanged', () => {
    const found = mergeLessonFile(scenario, [{ name: 'first.md', text: `\uFEFF\n${LESSON}` }]);
    expect(found).toEqual({
      ok: true,
      value: FILE.replace('"first.md"', JSON.stringify(LESSON)),
    });
  });

  test('can name another lesson, and keeps its comments', () => {
    expect(namingLesson(FILE, 'own.md')).toBe(FILE.replace('first.md', 'own.md'));
    expect(JSON.parse(namingLesson('{\n  "busyard": 1\n}', 'own.md'))).toEqual({
      busyard: 1,
      lesson: 'own.md',
    });
  });

  test('names its lesson file if another one is opened with it', () => {
    const other = { name: 'other.md', text: LESSON };
    expect(refused(scenario, [other])).toEqual([
      'first.json has its lesson in first.md; "other.md" does not go with it.',
    ]);
    expect(refused(scenario, [{ name: 'first.md', text: LESSON }, other])).toHaveLength(1);
    const none = { ...scenario, text: '{ "busyard": 1, "lesson": "# Here" }' };
    expect(refused(none, [other])).toEqual([
      'first.json names no lesson file; "other.md" does not go with it.',
    ]);
  });

  test('is refused if the lesson or the JSON is invalid', () => {
    expect(refused(scenario, [{ name: 'first.md', text: 'words' }])).toEqual([
      'first.mdA lesson begins with "# " and its title.',
    ]);
    expect(refused({ ...scenario, text: 'words' }, [{ name: 'first.md', text: LESSON }])).toEqual([
      'first.jsonThis is not JSON: a scenario or a saved session begins with {.',
    ]);
  });
});
