import { type RefObject, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { count } from '../../base/format';
import type { Rect } from '../../base/geometry';
import { formatFragment } from '../../base/route';
import { type Size, useSize } from '../../controllers/useSize';
import { useStore } from '../../controllers/useStore';
import {
  type LessonDependency,
  type LessonLine,
  lessonLines,
  uncrossedLines,
} from '../../draw/lesson-lines';
import { isNext, lessonMap, type MappedLesson } from '../../model/lesson/prerequisites';
import { listScenarios, type ScenarioEntry, systemTitle } from '../../model/scenario/scenarios';
import { answers, tallyOf } from '../../model/session/answers';
import { Panel } from '../../widgets/Panel';
import { VisitedMark } from '../../widgets/VisitedMark';
import styles from './Lessons.module.css';

/**
 * A row for each system, every lesson in a column after those it needs; hovering highlights what a lesson
 * needs and what builds on it.
 */
export default function Lessons() {
  const rows = useMemo(mapped, []);
  const map = rows.flatMap(({ lessons }) => lessons);
  const given = useStore(answers);
  const [at, highlight] = useState<string | null>(null);
  const box = useRef<HTMLDivElement>(null);
  const [measured, size] = useSize(box);
  const { answered, right, shown } = tallyOf(given);
  const questions = map.reduce((sum, { entry }) => sum + entry.questions, 0);
  const highlighted = map.find(({ entry }) => entry.id === at);
  return (
    <Panel title="Map of lessons" bare scroll>
      <div className={styles.page}>
        <p className={styles.lead}>
          Each lesson comes after those it needs; those you are ready for are bold.{' '}
          <span className={styles.pointing}>Point at one to see what builds on it. </span>
          {count(map.length, 'lesson')}, {questions} questions
          {answered + shown === 0
            ? ', none answered yet.'
            : `: ${answered} answered, ${right} of them predicted correctly, ${shown} only revealed.`}
        </p>
        <div className={styles.map} ref={measured}>
          <Lines rows={rows} box={box} size={size} at={at} />
          {rows.map(({ system, lessons }) => (
            <section key={system} aria-labelledby={`lessons-${system}`}>
              <h3 id={`lessons-${system}`}>
                {systemTitle(system)} <small>{count(lessons.length, 'lesson')}</small>
              </h3>
              {columnsOf(lessons).map((column, index) => (
                <ul
                  // biome-ignore lint/suspicious/noArrayIndexKey: a column is identified by its index
                  key={index}
                >
                  {column.map((one) => (
                    <Lesson
                      key={one.entry.id}
                      lesson={one}
                      isNow={isNext(one, given)}
                      role={roleOf(one, highlighted)}
                      highlight={highlight}
                    />
                  ))}
                </ul>
              ))}
            </section>
          ))}
        </div>
      </div>
    </Panel>
  );
}

/** The lessons with the data of lines and ordering. */
interface Mapped extends Omit<MappedLesson, 'needs'> {
  readonly id: string;
  readonly needs: readonly (ScenarioEntry & LessonDependency['needs'][number])[];
}

interface Row {
  readonly system: string;
  readonly lessons: readonly Mapped[];
}

function mapped(): Row[] {
  const all = lessonMap();
  const column = new Map(all.map((one) => [one.entry.id, one.column]));
  return systems().map((system) => {
    const own = all.filter(({ entry }) => entry.system === system);
    const lessons = own.map((one) => ({
      ...one,
      id: one.entry.id,
      needs: one.needs.map((need) => ({
        ...need,
        column: need.system === system ? (column.get(need.id) ?? 0) : null,
      })),
    }));
    return { system, lessons: uncrossedLines(lessons) };
  });
}

const systems = (): string[] => [...new Set(listScenarios().map(({ system }) => system))];

const columnsOf = (lessons: readonly Mapped[]): Mapped[][] => {
  const last = Math.max(...lessons.map(({ column }) => column));
  return Array.from({ length: last + 1 }, (_, at) => lessons.filter(({ column }) => column === at));
};

interface LinesProps {
  readonly rows: readonly Row[];
  readonly box: RefObject<HTMLDivElement | null>;
  /** Size of the box; another size moves the lessons. */
  readonly size: Size;
  /** The highlighted lesson. */
  readonly at: string | null;
}

/** The dependencies as lines, behind texts that say the same. */
function Lines({ rows, box, size, at }: LinesProps) {
  const [boxes, setBoxes] = useState<ReadonlyMap<string, Rect>>(new Map());
  // biome-ignore lint/correctness/useExhaustiveDependencies: another size moves the lessons
  useLayoutEffect(() => {
    const whole = box.current?.getBoundingClientRect();
    if (!whole) return;
    const found = [...(box.current?.querySelectorAll('[data-lesson]') ?? [])].map((one) => {
      const { left, top, width, height } = one.getBoundingClientRect();
      const place = { x: left - whole.left, y: top - whole.top, width, height };
      return [one.getAttribute('data-lesson') ?? '', place] as const;
    });
    setBoxes(new Map(found));
  }, [box, size]);
  const lines = useMemo(
    () => rows.flatMap(({ lessons }) => lessonLines(lessons, boxes)),
    [rows, boxes],
  );
  const roleOf = ({ from, to }: LessonLine) =>
    to === at ? 'needed' : from === at ? 'next' : undefined;
  return (
    <svg className={styles.lines} aria-hidden="true">
      {lines
        .filter((line) => !line.isLong || roleOf(line))
        .map((line) => (
          <path key={`${line.from} ${line.to}`} d={line.d} data-role={roleOf(line)} />
        ))}
    </svg>
  );
}

type Role = 'needed' | 'next' | 'self' | undefined;

function roleOf({ entry }: Mapped, highlighted: Mapped | undefined): Role {
  if (!highlighted) return undefined;
  if (highlighted.entry === entry) return 'self';
  if (highlighted.needs.some(({ id }) => id === entry.id)) return 'needed';
  return highlighted.leadsTo.includes(entry) ? 'next' : undefined;
}

const MARKS = { needed: 'needed for it', next: 'builds on it' } as const;

interface LessonProps {
  readonly lesson: Mapped;
  readonly isNow: boolean;
  readonly role: Role;
  highlight(id: string | null): void;
}

function Lesson({ lesson: { entry, needs, column }, isNow, role, highlight }: LessonProps) {
  const { id, kind, title, minutes, questions } = entry;
  const length = [minutes && `${minutes} min`, questions > 0 && count(questions, 'question')];
  return (
    <li data-lesson={id} data-role={role} data-now={isNow || undefined}>
      <a
        href={formatFragment({ view: kind, scenario: id, params: {} })}
        onPointerEnter={() => highlight(id)}
        onPointerLeave={() => highlight(null)}
        onFocus={() => highlight(id)}
        onBlur={() => highlight(null)}
      >
        <VisitedMark entry={entry} />
        <span>
          {title}
          <em>
            {role === 'needed' || role === 'next' ? MARKS[role] : length.filter(Boolean).join(', ')}
          </em>
          {needs.length > 0 && (
            <small data-drawn={needs.every((one) => one.column === column - 1) || undefined}>
              after {needs.map((one) => one.title).join(' and ')}
            </small>
          )}
        </span>
      </a>
    </li>
  );
}
