import { integer } from '../../base/format';
import { proving, useProofRunner } from '../../controllers/useProofRunner';
import { depthText, whereOf } from '../../model/verify/counterexample-text';
import { DEFECT_PROOFS, type DefectProof } from '../../model/verify/proof-defects';
import type { DefectTrial } from '../../model/verify/proof-types';
import { Button } from '../../widgets/Button';
import { openCounterexample } from './open';
import { Outcome } from './Proofs';
import { ProofRow, ProofTable } from './ProofTable';
import styles from './Prove.module.css';

interface ListProps {
  readonly shown: string | null;
  /** Null: the running exploration. */
  choose(name: string | null): void;
}

/** Defects that can be enabled, each with the invariant that finds it. */
export function DefectTable({ shown, choose }: ListProps) {
  const { trials } = useProofRunner();
  const run = (faults: readonly DefectProof[]) => {
    proving.run(faults);
    choose(null);
  };
  return (
    <ProofTable
      title="Break it"
      lead="one defect at a time: which invariant notices it, and how soon?"
      action={{ title: `Break all ${DEFECT_PROOFS.length}`, run: () => run(DEFECT_PROOFS) }}
      columns={['defect', 'where', { number: 'transitions' }, 'found by']}
    >
      {DEFECT_PROOFS.map((fault) => (
        <Row
          key={fault.name}
          fault={fault}
          trial={trials[fault.name]}
          isShown={fault.name === shown}
          choose={() => choose(fault.name)}
          run={() => run([fault])}
        />
      ))}
    </ProofTable>
  );
}

interface RowProps {
  readonly fault: DefectProof;
  readonly trial: DefectTrial | undefined;
  readonly isShown: boolean;
  choose(): void;
  run(): void;
}

function Row({ fault, trial, isShown, choose, run }: RowProps) {
  const found = trial?.status === 'done' ? trial.found : null;
  return (
    <ProofRow title={fault.title} isShown={isShown} choose={choose}>
      <td>{whereOf(fault)}</td>
      <td className={styles.n}>{found?.invariant ? integer(depthText(found)) : ''}</td>
      <td>
        <Outcome trial={trial} />
      </td>
      <td className={styles.act}>
        {found?.invariant ? (
          <Button
            size="small"
            onClick={() => openCounterexample(fault, found)}
            aria-label={`Open the counterexample: ${fault.title}`}
          >
            Open the counterexample
          </Button>
        ) : (
          <Button size="small" onClick={run} aria-label={`Break: ${fault.title}`}>
            Break
          </Button>
        )}
      </td>
    </ProofRow>
  );
}
