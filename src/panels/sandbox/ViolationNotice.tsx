import { count } from '../../base/format';
import { useStore } from '../../controllers/useStore';
import {
  CHALLENGES,
  INVARIANTS,
  isViolated,
  sandboxFixes,
  VIOLATION_TITLES,
  type Violation,
  violationMeeting,
  violationsOf,
  whyOf,
} from '../../model/sandbox/violations';
import { Button } from '../../widgets/Button';
import common from './common.module.css';
import { filming } from './film-state';
import { type Play, play, replay, showStep } from './sandbox-state';
import styles from './ViolationNotice.module.css';

/** The violation shown: that of the shown step, or else the first. That of a step under way is not known yet. */
function shownViolation(
  { run, userSteps, shown, violations }: Play,
  isUnderWay: boolean,
): Violation | null {
  const own = run && !isUnderWay ? violationsOf(run, userSteps, shown)[0] : null;
  const [first = null] = violations.filter(({ step }) => !isUnderWay || step !== shown);
  return own ?? first;
}

/** The rule, a violation of it and its cause, suggested fixes, and further challenges. */
export function ViolationNotice() {
  const now = useStore(play);
  const { run, userSteps, rules } = now;
  const isUnderWay = useStore(filming, ({ phase }) => phase !== 'over');
  const violation = shownViolation(now, isUnderWay);
  return (
    <section className={`${common.column} ${styles.notice}`} aria-labelledby="sandbox-violation">
      <h3 className={common.small} id="sandbox-violation">
        Can you make it lie?
      </h3>
      {violation && run ? (
        <div className={styles.found} data-kind={violation.kind}>
          <p className={styles.yes}>Yes, in {count(violation.step, 'step')}.</p>
          <p>{VIOLATION_TITLES[violation.kind]}</p>
          <p className={styles.chain}>{whyOf(run, violation)}</p>
          {now.shown !== violation.step && (
            <Button look="link" onClick={() => showStep(violation.step)}>
              Look at step {violation.step}
            </Button>
          )}
        </div>
      ) : (
        <p className={styles.notYet}>
          {!run
            ? 'The machine is being started.'
            : userSteps.length === 0
              ? 'Read and write, as you like. Find steps after which stale data is served and nobody notices.'
              : `Not in ${count(userSteps.length, 'step')}. Every read got the newest value.`}
        </p>
      )}
      <Invariants now={now} />
      {violation && (
        <>
          <h3 className={common.small}>Fix it: the same steps, replayed</h3>
          <ul className={`${common.list} ${styles.fixes}`}>
            {sandboxFixes(userSteps, rules, violation).map(({ title, whose, ...fixed }) => (
              <li key={title}>
                <Button look="link" onClick={() => replay(fixed.userSteps, fixed.rules)}>
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

function Invariants({ now: { run, userSteps } }: { readonly now: Play }) {
  const steps = userSteps.map((_, i) => ({
    step: run?.steps[i + 1],
    violations: run ? violationsOf(run, userSteps, i + 1) : [],
  }));
  return (
    <>
      <h3 className={common.small}>What must hold, after each step</h3>
      <ul className={`${common.list} ${styles.rules}`}>
        {INVARIANTS.map((rule) => {
          const broken = steps.map(({ step, violations }) => isViolated(rule, step, violations));
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

function Challenges({ now: { violations, rules } }: { readonly now: Play }) {
  const rows = CHALLENGES.map((goal) => ({
    ...goal,
    violation: violationMeeting(goal, violations, rules),
  }));
  const done = rows.filter(({ violation }) => violation !== null).length;
  return (
    <>
      <h3 className={common.small}>
        Challenges{' '}
        <em>
          {done} of {rows.length} in this list of steps
        </em>
      </h3>
      <ul className={`${common.list} ${styles.challenges}`}>
        {rows.map(({ title, violation, fewest }) => (
          <li key={title} data-done={violation !== null || undefined}>
            <span aria-hidden="true">{violation ? '●' : '○'}</span>
            <span>{title}</span>
            <em>
              {violation
                ? `done in ${violation.step} (shortest: ${fewest})`
                : `shortest: ${count(fewest, 'step')}`}
            </em>
          </li>
        ))}
      </ul>
    </>
  );
}
