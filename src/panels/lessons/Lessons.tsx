import { type RefObject, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { count } from '../../base/format';
import type { Rect } from '../../base/geometry';
import { formatFragment } from '../../base/route';
import { useSize } from '../../controllers/useSize';
import { useStore } from '../../controllers/useStore';
import { type LessonLine, lessonLines, type Needing, untangled } from '../../draw/lesson-lines';
import { answers, tallyOf } from '../../model/lesson/answers';
import { isNext, lessonMap, type MappedLesson } from '../../model/lesson/map';
import { type ScenarioEntry, systemTitle } from '../../model/scenario/scenarios';
import { Panel } from '../../widgets/Panel';
import { VisitMark } from '../../widgets/VisitMark';
import styles from './Lessons.module.css';

/** Every lesson in a column after those that it needs; pointing at one marks what it needs and what it leads to. */
export default function Lessons() {
  const map = useMemo(mapped, []);
  const given = useStore(answers);
  const [at, look] = useState<string | null>(null);
  const box = useRef<HTMLDivElement>(null);
  const { answered, right, shown } = tallyOf(given);
  const questions = map.reduce((sum, { entry }) => sum + entry.questions, 0);
  const levels = [...new Set(map.map(({ level }) => level))];
  const looked = map.find(({ entry }) => entry.id === at);
  return (
    <Panel title="Map of lessons" bare scroll>
      <div className={styles.page}>
        <p className={styles.lead}>
          Each lesson stands after those that it needs; going to one marks what builds on it.{' '}
          {count(map.length, 'lesson')}, {questions} questions: {answered} answered, {right} of them
          foretold, {shown} only shown. What you can take now is bold.
        </p>
        <div className={styles.map} ref={box}>
          <Lines lessons={map} box={box} at={at} />
          {levels.map((level) => (
            <section
              key={level}
              aria-label={level === 0 ? 'To begin with' : `After ${count(level, 'lesson')}`}
            >
              <h3>{level === 0 ? 'To begin with' : `After ${count(level, 'lesson')}`}</h3>
              <ul>
                {map
                  .filter((one) => one.level === level)
                  .map((one) => (
                    <Lesson
                      key={one.entry.id}
                      lesson={one}
                      isNow={isNext(one, given)}
                      role={roleOf(one, looked)}
                      look={look}
                    />
                  ))}
              </ul>
            </section>
          ))}
        </div>
      </div>
    </Panel>
  );
}

/** The lessons with what lines and their order need to know. */
interface Mapped extends Omit<MappedLesson, 'needs'> {
  readonly id: string;
  readonly needs: readonly (ScenarioEntry & Needing['needs'][number])[];
}

function mapped(): Mapped[] {
  const all = lessonMap();
  const level = new Map(all.map((one) => [one.entry.id, one.level]));
  return untangled(
    all.map((one) => ({
      ...one,
      id: one.entry.id,
      needs: one.needs.map((need) => ({ ...need, level: level.get(need.id) ?? 0 })),
    })),
  );
}

interface LinesProps {
  readonly lessons: readonly Mapped[];
  readonly box: RefObject<HTMLDivElement | null>;
  /** The lesson that is looked at. */
  readonly at: string | null;
}

/** What leads to what, behind the words that say the same. */
function Lines({ lessons, box, at }: LinesProps) {
  const size = useSize(box);
  const [boxes, setBoxes] = useState<ReadonlyMap<string, Rect>>(new Map());
  // biome-ignore lint/correctness/useExhaustiveDependencies: another size puts the lessons elsewhere
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
  const lines = useMemo(() => lessonLines(lessons, boxes), [lessons, boxes]);
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

function roleOf({ entry }: Mapped, looked: Mapped | undefined): Role {
  if (!looked) return undefined;
  if (looked.entry === entry) return 'self';
  if (looked.needs.some(({ id }) => id === entry.id)) return 'needed';
  return looked.leadsTo.includes(entry) ? 'next' : undefined;
}

const MARKS = { needed: 'needed for it', next: 'builds on it' } as const;

interface LessonProps {
  readonly lesson: Mapped;
  readonly isNow: boolean;
  readonly role: Role;
  look(id: string | null): void;
}

function Lesson({ lesson: { entry, needs }, isNow, role, look }: LessonProps) {
  const { id, kind, title, system } = entry;
  return (
    <li data-lesson={id} data-role={role} data-now={isNow || undefined}>
      <a
        href={formatFragment({ view: kind, scenario: id, params: {} })}
        onPointerEnter={() => look(id)}
        onPointerLeave={() => look(null)}
        onFocus={() => look(id)}
        onBlur={() => look(null)}
      >
        <VisitMark entry={entry} />
        <span>
          {title}
          <em>{role === 'needed' || role === 'next' ? MARKS[role] : systemTitle(system)}</em>
          {needs.length > 0 && <small>after {needs.map((one) => one.title).join(' and ')}</small>}
        </span>
      </a>
    </li>
  );
}
