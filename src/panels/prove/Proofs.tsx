import { integer, NO_BREAK_SPACE } from '../../base/format';
import { proving, useProofRunner } from '../../controllers/useProofRunner';
import type { DefectTrial } from '../../model/verify/proof-types';
import { LONG_PROOFS, PROOFS, type Proof } from '../../model/verify/proofs';
import { Button } from '../../widgets/Button';
import { ProofRow, ProofTable } from './ProofTable';
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
    <ProofTable
      title="Prove it"
      lead="small machines, each explored to the end"
      action={{ title: `Explore all ${PROOFS.length}`, run: () => run(PROOFS) }}
      columns={['machine', 'what it covers', { number: 'states' }, 'outcome']}
    >
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
    </ProofTable>
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
    <ProofRow title={proof.title} isShown={isShown} choose={choose}>
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
    </ProofRow>
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
