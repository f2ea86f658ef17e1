import { text, time } from '../../base/format';
import { runTime } from '../../controllers/useRun';
import { useStore } from '../../controllers/useStore';
import { type Comparison, differencesOf, type Side } from '../../model/report/comparison';
import type { Scenario } from '../../model/scenario/scenario-types';
import { session } from '../../model/session/session';
import { Button } from '../../widgets/Button';
import { Section } from '../../widgets/Section';
import styles from './Compare.module.css';
import { clockOf, comparing, laterDivergence, longestPs, movePlayhead } from './comparing';
import { Pane } from './Pane';

/** Different settings, and the events of both runs where they diverge. */
export function Differences({ scenario }: { readonly scenario: Scenario }) {
  const state = useStore(comparing.state);
  const hasCommands = useStore(session, ({ commands }) => commands.length > 0);
  const { a, b } = state;
  if (!a || !b) return <div />;
  const rows = differencesOf(scenario, a, b);
  return (
    <Pane label="What differs">
      <Section title="What differs">
        {rows.length === 0 ? (
          <p className={styles.none}>Both are the same run.</p>
        ) : (
          <table className={styles.table}>
            <thead>
              <tr>
                <td />
                <th scope="col">A</th>
                <th scope="col">B</th>
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <tr key={row.title}>
                  <th scope="row">{row.title}</th>
                  <td>{row.a}</td>
                  <td>{row.b}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
        {hasCommands && a.commands.length === 0 && b.commands.length === 0 && (
          <p className={styles.none}>
            Changes made during the run belong to the open run. Neither of these is that run.
          </p>
        )}
      </Section>
      <AtDivergence state={state} a={a} b={b} />
    </Pane>
  );
}

interface AtDivergenceProps {
  readonly state: Comparison;
  readonly a: Side;
  readonly b: Side;
}

const sameText = ({ keptPs }: Comparison): string =>
  keptPs === null
    ? 'Nowhere: every event is the same, to the end.'
    : `Nowhere up to ${text(runTime(keptPs, longestPs()))}: later events are not kept and were not compared.`;

function AtDivergence({ state, a, b }: AtDivergenceProps) {
  const { status } = state;
  const again = useStore(laterDivergence, (now) => now.divergence);
  const divergence = again ?? state.divergence;
  if (status !== 'done') return null;
  if (!divergence)
    return (
      <Section title="First divergence">
        <p className={styles.none}>{sameText(state)}</p>
      </Section>
    );
  const at = text(runTime(divergence.timePs, longestPs()));
  const sentence = (side: Side, seq: number | null): string => {
    const trace = side.recording?.trace;
    if (seq === null || !trace) return again ? 'No such event.' : 'Its run is over.';
    const when = text(runTime(trace.record(seq)?.timePs ?? 0, longestPs()));
    return `${trace.sentence(seq)} At ${when}.`;
  };
  const behind = (b.recording?.endPs ?? 0) - (a.recording?.endPs ?? 0);
  return (
    <Section title={`${again ? 'Next' : 'First'} divergence: ${at}`}>
      <ol className={styles.parting}>
        <li>
          <b>A</b>
          <span>{sentence(a, divergence.a)}</span>
        </li>
        <li>
          <b>B</b>
          <span>{sentence(b, divergence.b)}</span>
        </li>
        <li>
          <b />
          <span>
            {behind === 0
              ? 'Both end at the same time.'
              : `${behind > 0 ? 'A' : 'B'} ends ${text(time(Math.abs(behind), 3))} earlier.`}
          </span>
        </li>
      </ol>
      <Button look="link" onClick={() => movePlayhead(clockOf(divergence))}>
        Go there
      </Button>
    </Section>
  );
}
