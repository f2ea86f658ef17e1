import { signedPercent } from '../../base/format';
import { useStore } from '../../controllers/useStore';
import { counterText } from '../../draw/machine/facts';
import {
  type CounterPair,
  type CountersOf,
  counterPairs,
  endCounters,
  weightOf,
} from '../../model/report/comparison';
import { Section } from '../../widgets/Section';
import styles from './Compare.module.css';
import { comparing } from './comparing';
import { ComparisonHeaders } from './Heads';

const WIDTH = 160;
/** A factor of two takes half of the width. */
const FULL = 2;

/** Counters at the ends of both runs. */
export function CounterTable() {
  const { a, b } = useStore(comparing.state);
  return (
    <CounterRows title="Counters at the end" a={a && endCounters(a)} b={b && endCounters(b)} />
  );
}

interface CounterRowsProps {
  readonly title: string;
  readonly a: CountersOf | null;
  readonly b: CountersOf | null;
}

/** Counters that differ, the largest change first. */
export function CounterRows({ title, a, b }: CounterRowsProps) {
  const pairs = (a && b ? counterPairs(a, b) : []).toSorted((x, y) => weightOf(y) - weightOf(x));
  return (
    <Section title={title} aside="bar: B relative to A">
      {pairs.length === 0 ? (
        <p className={styles.none}>No counter differs so far.</p>
      ) : (
        <table className={`${styles.table} ${styles.counters}`}>
          <ComparisonHeaders titles={['A', 'B']} rest={2} />
          <tbody>
            {pairs.map((pair) => (
              <Row key={`${pair.part} ${pair.title}`} pair={pair} />
            ))}
          </tbody>
        </table>
      )}
    </Section>
  );
}

function Row({ pair }: { readonly pair: CounterPair }) {
  const { title, unit, a, b } = pair;
  const change = a === 0 || b === 0 ? null : (b / a - 1) * 100;
  const power = a === 0 ? FULL : b === 0 ? -FULL : Math.log2(b / a);
  const length = (Math.min(Math.abs(power), FULL) / FULL) * (WIDTH / 2);
  return (
    <tr>
      <th scope="row">{title}</th>
      <td className={styles.n}>{counterText({ unit }, a)}</td>
      <td className={styles.n}>{counterText({ unit }, b)}</td>
      <td>
        <svg width={WIDTH} height={12} viewBox={`0 0 ${WIDTH} 12`} aria-hidden="true">
          <path d={`M${WIDTH / 2} 0V12`} className="rule" />
          <rect
            x={power < 0 ? WIDTH / 2 - length : WIDTH / 2}
            y={1.5}
            width={length}
            height={9}
            className="ink3f"
          />
        </svg>
      </td>
      <td className={styles.n}>
        <b>{change === null ? (a === 0 ? 'only in B' : 'only in A') : signedPercent(change, 1)}</b>
      </td>
    </tr>
  );
}
