import { headOf, signedPercent, significant } from '../../base/format';
import { useStore } from '../../controllers/useStore';
import type { Figure } from '../../model/published/published';
import { type Measure, measuresOf } from '../../model/report/measures';
import type { Scenario } from '../../model/scenario/scenario-types';
import { Section } from '../../widgets/Section';
import styles from './Compare.module.css';
import { comparing } from './comparing';
import { ComparisonHeaders } from './Heads';

/** Metrics at the ends of both runs, with published values. */
export function MeasureTable({ scenario }: { readonly scenario: Scenario }) {
  const { a, b, status } = useStore(comparing.state);
  const measures = a && b && status === 'done' ? measuresOf(scenario, a, b) : [];
  if (measures.length === 0) return null;
  const published = measures.some((row) => row.a.published || row.b.published || row.ratio);
  return (
    <Section
      title="Measures at the end"
      aside={published && 'percent: simulated against published'}
    >
      <table className={`${styles.table} ${styles.measures}`}>
        <ComparisonHeaders titles={['A', 'B', 'B to A']} />
        <tbody>
          {measures.map((measure) => (
            <Row key={measure.title} measure={measure} />
          ))}
        </tbody>
      </table>
    </Section>
  );
}

function Row({ measure }: { readonly measure: Measure }) {
  const { title, unit, a, b, ratio } = measure;
  const isRatio = a.value !== null && b.value !== null && a.value !== 0;
  const quotient = isRatio ? (b.value ?? 0) / (a.value ?? 1) : null;
  return (
    <tr>
      <th scope="row">{headOf(title, unit)}</th>
      <Value value={a.value} published={a.published} />
      <Value value={b.value} published={b.published} />
      <Value value={quotient} published={ratio} />
    </tr>
  );
}

interface ValueProps {
  readonly value: number | null;
  readonly published: Figure | null;
}

/** A simulated value; below it the published one with its source, and the deviation. */
function Value({ value, published }: ValueProps) {
  const off = value === null || !published ? null : (value / published.value - 1) * 100;
  return (
    <td className={styles.n}>
      <b>{value === null ? 'none' : significant(value, 4)}</b>
      {published && (
        <small title={`${published.title}: ${published.source}`}>
          published {significant(published.value, 4)}
          {off !== null && `, ${signedPercent(off)}`}
        </small>
      )}
    </td>
  );
}
