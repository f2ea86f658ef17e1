import type { ReactNode } from 'react';
import { significant, unitAfter } from '../../base/format';
import { useAnswerMask } from '../../controllers/useAnswerMask';
import { useFrameValue } from '../../controllers/useRun';
import { useStore } from '../../controllers/useStore';
import type { CompiledMachine } from '../../model/scenario/compiled';
import { metricValue } from '../../model/scenario/experiment';
import type { Metric } from '../../model/scenario/scenario-types';
import { player } from '../../model/session/open-run';
import { session } from '../../model/session/session';
import { useGlossaryText } from '../../widgets/GlossaryText';
import { Masked } from '../../widgets/Masked';
import { Section } from '../../widgets/Section';
import styles from './Inspector.module.css';

/** The metrics of the scenario at the playhead. */
export function Measures({ machine }: { readonly machine: CompiledMachine }) {
  const metrics = useStore(session, (state) => state.data?.metrics);
  const rows = [...(metrics?.values() ?? [])];
  const words = useGlossaryText(rows.map(({ title }) => title));
  if (rows.length === 0) return null;
  return (
    <Section title="Measures" aside="to the playhead">
      <table className={styles.counters}>
        <tbody>
          {rows.map((metric, index) => (
            <Measure key={metric.name} metric={metric} words={words[index]} machine={machine} />
          ))}
        </tbody>
      </table>
    </Section>
  );
}

interface MeasureProps {
  readonly metric: Metric;
  readonly words: ReactNode;
  readonly machine: CompiledMachine;
}

function Measure({ metric, words, machine }: MeasureProps) {
  const value = useFrameValue(() => {
    const counters = player.frame()?.counters;
    const found = counters ? metricValue(metric, machine.variables, counters) : null;
    return found === null ? null : significant(found, 4);
  });
  const masked = useAnswerMask()?.masksMetric(metric);
  return (
    <tr>
      <th scope="row">{words}</th>
      <td>
        {masked ? (
          <Masked />
        ) : value === null ? (
          <span className={styles.none}>not yet</span>
        ) : (
          <>
            {value}
            <i>{unitAfter(value, metric.unit)}</i>
          </>
        )}
      </td>
    </tr>
  );
}
