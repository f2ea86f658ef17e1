import { useMemo, useState } from 'react';
import { count } from '../../base/format';
import { formatFragment } from '../../base/route';
import { useStore } from '../../controllers/useStore';
import { answers, tallyOf } from '../../model/lesson/answers';
import { isNext, lessonMap, type MappedLesson } from '../../model/lesson/map';
import { systemTitle } from '../../model/scenario/scenarios';
import { Panel } from '../../widgets/Panel';
import { VisitMark } from '../../widgets/VisitMark';
import styles from './Lessons.module.css';

/** Every lesson in a column after those that it needs; pointing at one marks what it needs and what it leads to. */
export default function Lessons() {
  const map = useMemo(lessonMap, []);
  const given = useStore(answers);
  const [at, look] = useState<string | null>(null);
  const { answered, right, shown } = tallyOf(given);
  const questions = map.reduce((sum, { entry }) => sum + entry.questions, 0);
  const levels = [...new Set(map.map(({ level }) => level))];
  const looked = map.find(({ entry }) => entry.id === at);
  return (
    <Panel title="Map of lessons" bare scroll>
      <div className={styles.page}>
        <p className={styles.lead}>
          Each lesson stands after those that it needs. {count(map.length, 'lesson')}, {questions}{' '}
          questions: {answered} answered, {right} of them foretold, {shown} only shown. What you can
          take now is bold.
        </p>
        <div className={styles.map}>
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

type Role = 'needed' | 'next' | 'self' | undefined;

function roleOf({ entry }: MappedLesson, looked: MappedLesson | undefined): Role {
  if (!looked) return undefined;
  if (looked.entry === entry) return 'self';
  if (looked.needs.includes(entry)) return 'needed';
  return looked.leadsTo.includes(entry) ? 'next' : undefined;
}

const MARKS = { needed: 'needed for it', next: 'builds on it' } as const;

interface LessonProps {
  readonly lesson: MappedLesson;
  readonly isNow: boolean;
  readonly role: Role;
  look(id: string | null): void;
}

function Lesson({ lesson: { entry, needs }, isNow, role, look }: LessonProps) {
  const { id, kind, title, system } = entry;
  return (
    <li data-role={role} data-now={isNow || undefined}>
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
