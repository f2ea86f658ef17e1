import { integer } from '../../base/format';
import { proving, useProofRunner } from '../../controllers/useRunTable';
import { depthText, whereOf } from '../../model/verify/counterexample-text';
import { DEFECT_PROOFS, type DefectProof } from '../../model/verify/proof-defects';
import type { DefectTrial } from '../../model/verify/proof-types';
import { Button } from '../../widgets/Button';
import { openCounterexample } from './open';
import { Outcome } from './Proofs';
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
    <table className={styles.table}>
      <caption>
        <b>Break it</b>
        <span>one defect at a time: which invariant notices it, and how soon?</span>
        <Button size="small" onClick={() => run(DEFECT_PROOFS)}>
          Break all {DEFECT_PROOFS.length}
        </Button>
      </caption>
      <thead>
        <tr>
          <th scope="col">defect</th>
          <th scope="col">where</th>
          <th scope="col" className={styles.n}>
            transitions
          </th>
          <th scope="col">found by</th>
          <th scope="col">
            <span className="visually-hidden">run</span>
          </th>
        </tr>
      </thead>
      <tbody>
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
      </tbody>
    </table>
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
    <tr data-shown={isShown || undefined}>
      <th scope="row">
        <button type="button" className={styles.name} aria-current={isShown} onClick={choose}>
          {fault.title}
        </button>
      </th>
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
    </tr>
  );
}
