import { count, fixed, integer } from '../../base/format';
import { proving, useProving } from '../../controllers/useProving';
import { growthShapes } from '../../draw/machine/growth';
import { INVARIANTS } from '../../engine/explore';
import { verdictOf } from '../../model/prove/proof-words';
import { FAULTS, LONG_PROOFS, PROOFS } from '../../model/prove/proofs';
import type { Trial } from '../../model/prove/proving';
import { Button } from '../../widgets/Button';
import { ShapeView } from '../../widgets/ShapeView';
import { SvgView } from '../../widgets/SvgView';
import styles from './Prove.module.css';

const SHEET = { width: 268, height: 96 };
const HOLDS = INVARIANTS.slice(1);

const titleOf = (name: string): string =>
  [...PROOFS, ...LONG_PROOFS].find((one) => one.name === name)?.title ??
  FAULTS.find((one) => one.name === name)?.title ??
  name;

/** What has been found, live while it runs: in numbers, as a drawing, and in words. */
export function Found({ name }: { readonly name: string | null }) {
  const { trials, running } = useProving();
  const trial = name === null ? undefined : trials[name];
  return (
    <aside
      className={styles.found}
      data-empty={trial === undefined || undefined}
      aria-label="What was found"
    >
      <h2 className={styles.title}>Can it go wrong?</h2>
      <p className={styles.prose}>
        The caches, the bus and the adapter of the scenarios, in a small machine, taken through
        every order of events and every choice of processors, drivers and devices.
      </p>
      <div className={styles.now} aria-live="polite">
        <b>{name === null ? 'Nothing explored yet' : titleOf(name)}</b>
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
      <Invariants trial={trial} />
    </aside>
  );
}

/** How far it is, or came: numbers, and how the states grew. */
function Progress({ trial }: { readonly trial: Trial }) {
  return (
    <>
      <Numbers trial={trial} />
      <SvgView
        {...SHEET}
        fit="width"
        className={styles.growth}
        label="States found, by their distance from the first"
      >
        <ShapeView shapes={growthShapes(trial.growth, SHEET)} />
      </SvgView>
    </>
  );
}

function Numbers({ trial: { found } }: { readonly trial: Trial }) {
  const rate = found && found.seconds > 0 ? integer(Math.round(found.states / found.seconds)) : '—';
  const rules = found ? found.rules.filter(Boolean).length : 0;
  const rows: readonly (readonly [value: string, title: string])[] = [
    [found ? integer(found.states) : '—', 'states'],
    [rate, 'states a second'],
    [found ? integer(found.depth) : '—', 'steps deep'],
    [found ? integer(found.transitions) : '—', 'transitions'],
    [found ? `${rules} of ${found.rules.length}` : '—', 'protocol rows taken'],
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

/** The invariants, each with what this exploration says of it. */
function Invariants({ trial }: { readonly trial: Trial | undefined }) {
  const found = trial?.found;
  const holds = found?.end === 'complete' ? 'holds' : 'holds so far';
  return (
    <div className={styles.invariants}>
      <h3>
        In each state <em>{found ? count(found.states, 'state') : ''}</em>
      </h3>
      <ul>
        {HOLDS.map((invariant) => {
          const broken = found?.invariant === invariant;
          const says = broken ? 'broken' : found && !found.invariant ? holds : '';
          return (
            <li key={invariant} data-broken={broken || undefined}>
              <span>{invariant}</span>
              <em>{says}</em>
            </li>
          );
        })}
      </ul>
    </div>
  );
}
