import { integer, NO_BREAK_SPACE } from '../../base/format';
import { proving, useProofRunner } from '../../controllers/useRunTable';
import type { DefectTrial } from '../../model/verify/proof-types';
import { LONG_PROOFS, PROOFS, type Proof } from '../../model/verify/proofs';
import { Button } from '../../widgets/Button';
import styles from './Prove.module.css';

interface ListProps {
  readonly shown: string | null;
  /** Null: the running exploration. */
  choose(name: string | null): void;
}

/** Configurations without a defect: every reachable state must satisfy the invariants. */
export function Proofs({ shown, choose }: ListProps) {
  const { trials } = useProofRunner();
  const run = (proofs: readonly Proof[]) => {
    proving.run(proofs);
    choose(null);
  };
  return (
    <table className={styles.table}>
      <caption>
        <b>Prove it</b>
        <span>small machines, each explored to the end</span>
        <Button size="small" onClick={() => run(PROOFS)}>
          Explore all {PROOFS.length}
        </Button>
      </caption>
      <thead>
        <tr>
          <th scope="col">machine</th>
          <th scope="col">what it covers</th>
          <th scope="col" className={styles.n}>
            states
          </th>
          <th scope="col">outcome</th>
          <th scope="col">
            <span className="visually-hidden">run</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {[...PROOFS, ...LONG_PROOFS].map((proof) => (
          <Row
            key={proof.name}
            proof={proof}
            trial={trials[proof.name]}
            isShown={proof.name === shown}
            choose={() => choose(proof.name)}
            run={() => run([proof])}
          />
        ))}
      </tbody>
    </table>
  );
}

interface RowProps {
  readonly proof: Proof;
  readonly trial: DefectTrial | undefined;
  readonly isShown: boolean;
  choose(): void;
  run(): void;
}

function Row({ proof, trial, isShown, choose, run }: RowProps) {
  const states = trial?.found?.states ?? proof.pinned?.states;
  const isOnRecord = !trial?.found && states !== undefined;
  return (
    <tr data-shown={isShown || undefined}>
      <th scope="row">
        <button type="button" className={styles.name} aria-current={isShown} onClick={choose}>
          {proof.title}
        </button>
      </th>
      <td>{proof.covers}</td>
      <td className={styles.n} data-quiet={isOnRecord || undefined}>
        {states === undefined ? 'a long run' : integer(states)}
      </td>
      <td>
        <Outcome trial={trial} />
      </td>
      <td className={styles.act}>
        <Button size="small" onClick={run} aria-label={`Explore ${proof.title}`}>
          Explore
        </Button>
      </td>
    </tr>
  );
}

const OUTCOMES: Readonly<Record<DefectTrial['status'], string>> = {
  waiting: 'waits',
  running: 'exploring',
  done: '',
  stopped: 'stopped',
  failed: 'refused',
};

export function Outcome({ trial }: { readonly trial: DefectTrial | undefined }) {
  const { status, found } = trial ?? {};
  if (!status) return <span className={styles.quiet}>not{NO_BREAK_SPACE}yet</span>;
  if (status !== 'done') return <span className={styles.quiet}>{OUTCOMES[status]}</span>;
  if (found?.end === 'complete') return <span className={styles.holds}>✓ everything holds</span>;
  if (found?.end === 'full') return <span className={styles.quiet}>memory full</span>;
  return (
    <span>
      <span className={styles.broken}>✗</span> {found?.invariant}
    </span>
  );
}
