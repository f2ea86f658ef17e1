import { memo } from 'react';
import { fixed, NO_BREAK_SPACE, significant } from '../../base/format';
import { SENSITIVITY_TICKS, sensitivityMarks, sensitivityX } from '../../draw/report/sensitivity';
import type { CheckReport } from '../../model/report/check-types';
import type { GroupSensitivity, Move } from '../../model/report/sensitivity';
import { isCurrent, strengths } from '../../model/report/sensitivity-data';
import { reach } from '../../model/report/sensitivity-text';
import { Marks } from './Mark';
import styles from './Strengths.module.css';

const SCALE = { width: 212, inset: 6 };
const HEIGHT = 17;

const percent = (value: number) => `${significant(value, 2)}${NO_BREAK_SPACE}%`;

/** Which results follow from the assumptions alone, and which need the mechanism. */
export function SensitivityTable({ reports }: { readonly reports: readonly CheckReport[] }) {
  const groups = strengths.flatMap((one) => one.groups);
  const stale = groups.filter((group) => isCurrent(group, reports) === false);
  return (
    <section className={styles.strengths} aria-labelledby="strengths">
      <h3 id="strengths" className={styles.title}>
        How strong are the predictions?
      </h3>
      <p className={styles.text}>
        Each ring is one constant of the machine, moved by a fifth down and up (a small count by
        one): this far it moves the rows. A row that no constant moves would match anyway and proves
        little. The plain formula is an overhead and a rate, fitted to the calibrated rows of the
        same column and to nothing else. Rows marked calibrated were used to choose constants; for
        them the column shows how sensitive a gain is.
      </p>
      {stale.length > 0 && (
        <p className={styles.stale}>
          Computed for other runs than those above: {stale.map(({ title }) => title).join(', ')}.
        </p>
      )}
      <table className={styles.table}>
        <Head />
        <tbody>
          {groups.map((group) => (
            <Group key={`${group.scenario} ${group.figures[0]}`} group={group} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Head() {
  return (
    <thead>
      <tr>
        <th scope="col" className={styles.wide}>
          predicted
        </th>
        <th scope="col" className={styles.n}>
          rows
        </th>
        <th scope="col" className={styles.n}>
          error
        </th>
        <th scope="col" className={styles.n}>
          plain formula
        </th>
        <th scope="col" className={styles.strip}>
          <span className="visually-hidden">how far each constant moves it; in words below</span>
          <Ticks />
        </th>
      </tr>
    </thead>
  );
}

/** The scale of the strips. */
function Ticks() {
  return (
    <svg
      width={SCALE.width}
      height={HEIGHT}
      viewBox={`0 0 ${SCALE.width} ${HEIGHT}`}
      aria-hidden="true"
    >
      {SENSITIVITY_TICKS.map((tick) => (
        <text key={tick} x={sensitivityX(SCALE, tick)} y={12} className={styles.tick}>
          {tick === 20 ? '20 %' : tick}
        </text>
      ))}
    </svg>
  );
}

const Group = memo(({ group }: { readonly group: GroupSensitivity }) => {
  const { title, figures, error, formula, calibrated, moves } = group;
  return (
    <>
      <tr>
        <th scope="row" className={styles.wide}>
          {title}
          {calibrated && <em className={styles.role}>calibrated</em>}
        </th>
        <td className={styles.n}>{figures.length}</td>
        <td className={styles.n}>
          {fixed(error, 1)}
          {NO_BREAK_SPACE}%
        </td>
        <td className={styles.n}>
          {formula === null ? '' : `${fixed(formula, 1)}${NO_BREAK_SPACE}%`}
        </td>
        <td className={styles.strip}>
          <Strip moves={moves} />
        </td>
      </tr>
      <tr>
        <td colSpan={5} className={styles.words}>
          <div className={styles.below}>
            <Ticks />
            <Strip moves={moves} />
          </div>
          <Movers group={group} />
        </td>
      </tr>
    </>
  );
});

function Strip({ moves }: { readonly moves: readonly Move[] }) {
  const marks = sensitivityMarks(SCALE, moves.map(reach));
  return (
    <svg
      width={SCALE.width}
      height={HEIGHT}
      viewBox={`0 0 ${SCALE.width} ${HEIGHT}`}
      aria-hidden="true"
    >
      <path d={`M${SCALE.inset} ${HEIGHT / 2}H${SCALE.width - SCALE.inset}`} className="rule" />
      <path d={`M${SCALE.inset} 4V${HEIGHT - 4}`} className="thin" />
      <Marks
        marks={marks.map(({ x, offScale }) => ({
          x,
          offScale,
          role: 'calibrated',
          bad: false,
        }))}
        y={HEIGHT / 2}
      />
    </svg>
  );
}

/** The strip in words: the strongest constant, and all of them on demand. */
function Movers({ group }: { readonly group: GroupSensitivity }) {
  const { moves, still } = group;
  const [most] = moves;
  if (!most) return <>moved by none of {still} constants</>;
  return (
    <details className={styles.movers}>
      <summary>
        moved by {moves.length} of {moves.length + still} constants, most by {most.title}:{' '}
        {percent(reach(most))}
      </summary>
      <ul>
        {moves.map((move) => (
          <li key={move.name}>
            {move.title}: {percent(move.less)} with less, {percent(move.more)} with more
          </li>
        ))}
      </ul>
    </details>
  );
}
