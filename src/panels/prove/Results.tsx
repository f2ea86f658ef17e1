import { count, fixed, integer } from '../../base/format';
import { proving, useProofRunner } from '../../controllers/useProofRunner';
import { searchRings } from '../../draw/machine/search-rings';
import { depthText, verdictOf } from '../../model/verify/counterexample-text';
import { DEFECT_PROOFS } from '../../model/verify/proof-defects';
import { invariantsOf } from '../../model/verify/proof-scenario';
import type { DefectTrial } from '../../model/verify/proof-types';
import { LONG_PROOFS, PROOFS } from '../../model/verify/proofs';
import { Button } from '../../widgets/Button';
import { ShapeView } from '../../widgets/ShapeView';
import { SvgView } from '../../widgets/SvgView';
import '../../widgets/states.css';
import styles from './Prove.module.css';

const SHEET = { width: 268, height: 152 };

const taskOf = (name: string | null) =>
  [...PROOFS, ...LONG_PROOFS, ...DEFECT_PROOFS].find((one) => one.name === name);

/** The exploration's results so far: numbers, a drawing, words. */
export function Results({ name }: { readonly name: string | null }) {
  const { trials, running } = useProofRunner();
  const trial = name === null ? undefined : trials[name];
  return (
    <aside
      className={styles.found}
      data-empty={trial === undefined || undefined}
      aria-label="What was found"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
      tabIndex={0}
    >
      <h2 className={styles.title}>Can it go wrong?</h2>
      <p className={styles.prose}>
        The parts of the scenarios in small machines, explored through every order of events:
        caches, bus and I/O adapter with every choice of processors, drivers and devices; kernel,
        TCP/IP and Ethernet adapter passing packets; threads with a lock.
      </p>
      <div className={styles.now} aria-live="polite">
        <b>{taskOf(name)?.title ?? 'Nothing explored yet'}</b>
        <span>{trial ? verdictOf(trial) : 'Pick a configuration, or break something.'}</span>
      </div>
      {trial && <Progress trial={trial} />}
      {running && (
        <div>
          <Button size="small" onClick={() => proving.stop()}>
            Stop
          </Button>
        </div>
      )}
      <Invariants trial={trial} of={invariantsOf(taskOf(name))} />
    </aside>
  );
}

/** Progress of the exploration: numbers, and the growth of states. */
function Progress({ trial }: { readonly trial: DefectTrial }) {
  const { found } = trial;
  const violation = found?.end === 'broken' ? [...found.way] : null;
  return (
    <>
      <Numbers trial={trial} />
      <SvgView
        {...SHEET}
        fit="width"
        className={styles.growth}
        label="States found, in rings by their distance from the first"
      >
        <ShapeView shapes={searchRings({ points: trial.growth, violation }, SHEET)} />
      </SvgView>
    </>
  );
}

function Numbers({ trial: { found } }: { readonly trial: DefectTrial }) {
  const rate = found && found.seconds > 0 ? integer(Math.round(found.states / found.seconds)) : '—';
  const rules = found?.rules ?? [];
  const rows: readonly (readonly [value: string, title: string])[] = [
    [found ? integer(found.states) : '—', 'states'],
    [rate, 'states per second'],
    [found ? integer(depthText(found)) : '—', 'transitions deep'],
    [found ? integer(found.transitions) : '—', 'transitions'],
    ...(rules.length > 0
      ? [[`${rules.filter(Boolean).length} of ${rules.length}`, 'protocol rows taken'] as const]
      : []),
    [found ? `${fixed(found.seconds, 1)}\u00a0s` : '—', 'of work'],
  ];
  return (
    <dl className={styles.numbers}>
      {rows.map(([value, title]) => (
        <div key={title}>
          <dt>{title}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** The invariants, each with the result of this exploration. */
interface InvariantsProps {
  readonly trial: DefectTrial | undefined;
  readonly of: readonly string[];
}

function Invariants({ trial, of }: InvariantsProps) {
  const found = trial?.found;
  const holds = found?.end === 'complete' ? 'holds' : 'holds so far';
  return (
    <div className={styles.invariants}>
      <h3>
        In each state <em>{found ? count(found.states, 'state') : ''}</em>
      </h3>
      <ul>
        {of.map((invariant) => {
          const broken = found?.invariant === invariant;
          const result = broken ? 'broken' : found && !found.invariant ? holds : '';
          return (
            <li key={invariant} data-broken={broken || undefined}>
              <span>{invariant}</span>
              <em>{result}</em>
            </li>
          );
        })}
      </ul>
    </div>
  );
}
