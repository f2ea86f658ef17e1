import { count } from '../../base/format';
import { useStore } from '../../controllers/useStore';
import {
  CHALLENGES,
  dared,
  INVARIANTS,
  isViolated,
  sandboxFixes,
  VIOLATION_TITLES,
  type Violation,
  violationsOf,
  whyOf,
} from '../../model/sandbox/violations';
import { Button } from '../../widgets/Button';
import common from './common.module.css';
import styles from './Lying.module.css';
import { look, type Play, play, replay } from './play';

/** The violation shown: that of the shown step, or else the first. */
const spokenOf = ({ run, pokes, shown, lies }: Play): Violation | null =>
  (run && violationsOf(run, pokes, shown)[0]) ?? lies[0] ?? null;

/** The rule, a violation of it and its cause, suggested fixes, and further challenges. */
export function ViolationNotice() {
  const now = useStore(play);
  const { run, pokes, rules } = now;
  const lie = spokenOf(now);
  return (
    <section className={`${common.column} ${styles.lying}`} aria-labelledby="poke-lie">
      <h3 className={common.small} id="poke-lie">
        Can you make it lie?
      </h3>
      {lie && run ? (
        <div className={styles.found} data-kind={lie.kind}>
          <p className={styles.yes}>Yes, in {count(lie.step, 'step')}.</p>
          <p>{VIOLATION_TITLES[lie.kind]}</p>
          <p className={styles.chain}>{whyOf(run, lie)}</p>
          {now.shown !== lie.step && (
            <Button look="link" onClick={() => look(lie.step)}>
              Look at step {lie.step}
            </Button>
          )}
        </div>
      ) : (
        <p className={styles.notYet}>
          {!run
            ? 'The machine is being started.'
            : pokes.length === 0
              ? 'Read and write, as you like. Find steps after which stale data is served and nobody notices.'
              : `Not in ${count(pokes.length, 'step')}. Every read got the newest value.`}
        </p>
      )}
      <Invariants now={now} />
      {lie && (
        <>
          <h3 className={common.small}>Fix it: the same steps, replayed</h3>
          <ul className={`${common.list} ${styles.mends}`}>
            {sandboxFixes(pokes, rules, lie).map(({ title, whose, ...mended }) => (
              <li key={title}>
                <Button look="link" onClick={() => replay(mended.pokes, mended.rules)}>
                  {title}
                </Button>
                <em>{whose}</em>
              </li>
            ))}
          </ul>
        </>
      )}
      <Challenges now={now} />
    </section>
  );
}

function Invariants({ now: { run, pokes } }: { readonly now: Play }) {
  const steps = pokes.map((_, i) => ({
    step: run?.steps[i + 1],
    lies: run ? violationsOf(run, pokes, i + 1) : [],
  }));
  return (
    <>
      <h3 className={common.small}>What must hold, after each step</h3>
      <ul className={`${common.list} ${styles.rules}`}>
        {INVARIANTS.map((rule) => {
          const broken = steps.map(({ step, lies }) => isViolated(rule, step, lies));
          const at = broken.flatMap((is, i) => (is ? [i + 1] : []));
          return (
            <li key={rule.name} data-broken={at.length > 0 || undefined}>
              <span>{rule.title}</span>
              <span className={styles.dots} aria-hidden="true">
                {broken.map((is, i) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: a step is identified by its index
                  <i key={i} data-broken={is || undefined}>
                    {is ? '×' : '·'}
                  </i>
                ))}
              </span>
              <span className="visually-hidden">
                {at.length > 0 ? `broken in step ${at.join(', ')}` : 'holds'}
              </span>
            </li>
          );
        })}
      </ul>
    </>
  );
}

function Challenges({ now: { lies, rules } }: { readonly now: Play }) {
  const rows = CHALLENGES.map((dare) => ({ ...dare, lie: dared(dare, lies, rules) }));
  const done = rows.filter(({ lie }) => lie !== null).length;
  return (
    <>
      <h3 className={common.small}>
        Challenges{' '}
        <em>
          {done} of {rows.length} in this list of steps
        </em>
      </h3>
      <ul className={`${common.list} ${styles.dares}`}>
        {rows.map(({ title, lie, fewest }) => (
          <li key={title} data-done={lie !== null || undefined}>
            <span aria-hidden="true">{lie ? '●' : '○'}</span>
            <span>{title}</span>
            <em>{lie ? `step ${lie.step}; can be ${fewest}` : `can be ${fewest}`}</em>
          </li>
        ))}
      </ul>
    </>
  );
}
