import { useState } from 'react';
import { integer } from '../../base/format';
import { navigate } from '../../base/route';
import { checkPoolsInWorker } from '../../engine/workers';
import { openScenario } from '../../model/session/session-module';
import {
  jobOf,
  MAP_PROOFS,
  type MapProof,
  type MapProofReport,
  reportOf,
  USUAL_SIZE,
  USUAL_STATES,
} from '../../model/verify/pool-proofs';
import { Button } from '../../widgets/Button';
import { ProofRow, ProofTable } from './ProofTable';
import styles from './Prove.module.css';

/** State of a rule's check: unknown, running, the result, or the reason of a failure. */
type Check = undefined | 'running' | MapProofReport | Error;

const openRun = async (scenario: string) => {
  const opened = await openScenario(scenario);
  if (opened.ok) navigate({ view: 'machine', scenario });
};

/** Rules of lazy flush, each checked in every order of map, use and unmap. */
export function LazyFlush() {
  const [checks, setChecks] = useState<Readonly<Record<string, Check>>>({});
  const [shown, setShown] = useState<string | null>(null);
  const setCheck = (name: string, check: Check) => setChecks((all) => ({ ...all, [name]: check }));
  const run = async (proofs: readonly MapProof[]) => {
    for (const proof of proofs) {
      setCheck(proof.name, 'running');
      setShown(proof.name);
      try {
        const result = await checkPoolsInWorker(jobOf(proof, USUAL_SIZE, USUAL_STATES));
        setCheck(proof.name, reportOf(proof, USUAL_SIZE, result));
      } catch (error) {
        setCheck(proof.name, error as Error);
      }
    }
  };
  const running = Object.values(checks).includes('running');
  return (
    <>
      <ProofTable
        title="Lazy flush"
        lead="three threads, two pools of three entries: can a device use a stale translation?"
        action={{
          title: `Check all ${MAP_PROOFS.length}`,
          isDisabled: running,
          run: () => run(MAP_PROOFS),
        }}
        columns={['rule', 'outcome', { number: 'states' }]}
      >
        {MAP_PROOFS.map((proof) => (
          <Row
            key={proof.name}
            proof={proof}
            check={checks[proof.name]}
            isShown={proof.name === shown}
            isWaiting={running}
            choose={() => setShown(proof.name)}
            run={() => run([proof])}
          />
        ))}
      </ProofTable>
      <Counterexample check={shown === null ? undefined : checks[shown]} />
    </>
  );
}

interface RowProps {
  readonly proof: MapProof;
  readonly check: Check;
  readonly isShown: boolean;
  readonly isWaiting: boolean;
  choose(): void;
  run(): void;
}

const reported = (check: Check): MapProofReport | null =>
  check === undefined || check === 'running' || check instanceof Error ? null : check;

function Row({ proof, check, isShown, isWaiting, choose, run }: RowProps) {
  const report = reported(check);
  const { scenario, title } = proof;
  return (
    <ProofRow title={title} isShown={isShown} choose={choose}>
      <td>
        <Outcome check={check} />
      </td>
      <td className={styles.n}>{report ? integer(report.states) : ''}</td>
      <td className={styles.act}>
        {scenario && report ? (
          <Button size="small" onClick={() => openRun(scenario)}>
            Open a run of it
          </Button>
        ) : (
          <Button size="small" disabled={isWaiting} onClick={run} aria-label={`Check: ${title}`}>
            Check
          </Button>
        )}
      </td>
    </ProofRow>
  );
}

function Outcome({ check }: { readonly check: Check }) {
  if (check === undefined) return <span className={styles.quiet}>not checked here yet</span>;
  if (check === 'running') return <span className={styles.quiet}>checking</span>;
  if (check instanceof Error) return <span className={styles.broken}>{check.message}</span>;
  const steps = check.violations[0]?.steps.length;
  if (steps !== undefined)
    return <span className={styles.broken}>✗ a stale use after {steps} steps</span>;
  return <span className={styles.holds}>✓ holds in every order</span>;
}

/** The shortest counterexample with a stale use, if there is one. */
function Counterexample({ check }: { readonly check: Check }) {
  const steps = reported(check)?.violations[0]?.steps;
  if (!steps) return null;
  return (
    <details className={styles.way}>
      <summary>The shortest counterexample, {steps.length} steps</summary>
      <ol>
        {steps.map((step, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the steps of a finished report do not change
          <li key={i}>{step}</li>
        ))}
      </ol>
    </details>
  );
}
