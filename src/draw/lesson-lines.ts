/**
 * Lines of the lesson map, from each lesson to those that build on it, in its own row of columns or another.
 */
import type { Rect } from '../base/geometry';

export interface LessonLine {
  readonly from: string;
  readonly to: string;
  readonly d: string;
  /** It passes other lessons, so it is drawn only when one of its ends is highlighted. */
  readonly isLong: boolean;
}

/** A lesson, its column, and the lessons it needs; those of another row have no column. */
export interface LessonDependency {
  readonly id: string;
  readonly column: number;
  readonly needs: readonly { readonly id: string; readonly column: number | null }[];
}

/** Lines meet a lesson at the height of its title. */
const TITLE = 15;

const round = (value: number): number => Math.round(value * 2) / 2;

export function lessonLines(
  lessons: readonly LessonDependency[],
  boxes: ReadonlyMap<string, Rect>,
): LessonLine[] {
  return lessons.flatMap(({ id, column, needs }) =>
    needs.flatMap((need): LessonLine[] => {
      const [a, b] = [boxes.get(need.id), boxes.get(id)];
      if (!a || !b || b.x <= a.x + a.width) return [];
      const [x1, y1, x2, y2] = [a.x + a.width, a.y + TITLE, b.x, b.y + TITLE].map(round) as [
        number,
        number,
        number,
        number,
      ];
      // It turns within the gap before its end, clear of the lessons in between.
      const bend = Math.min(36, x2 - x1);
      const d = `M${x1} ${y1}H${x2 - bend}C${x2 - bend / 2} ${y1} ${x2 - bend / 2} ${y2} ${x2} ${y2}`;
      return [
        { from: need.id, to: id, d, isLong: need.column === null || column - need.column > 1 },
      ];
    }),
  );
}

/** The lessons of a column ordered by those they need, so that few lines cross. */
export function uncrossedLines<T extends LessonDependency>(lessons: readonly T[]): T[] {
  const place = new Map<string, number>();
  const columns = [...new Set(lessons.map(({ column }) => column))].sort((a, b) => a - b);
  return columns.flatMap((column) => {
    const weight = ({ needs }: T) =>
      needs.reduce((sum, { id }) => sum + (place.get(id) ?? 0), 0) / Math.max(1, needs.length);
    const sorted = lessons
      .filter((one) => one.column === column)
      .map((one) => ({ one, weight: weight(one) }))
      .sort((a, b) => a.weight - b.weight)
      .map(({ one }) => one);
    sorted.forEach(({ id }, index) => {
      place.set(id, index);
    });
    return sorted;
  });
}
