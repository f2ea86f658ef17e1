import { useMemo } from 'react';
import { runCommand } from '../../base/commands';
import { integer, text, time } from '../../base/format';
import { useHidesFuture } from '../../controllers/useAnswerMask';
import { useRun } from '../../controllers/useRun';
import { useStore } from '../../controllers/useStore';
import { explainInWorkspace, wrongEvents } from '../../controllers/wrong-events';
import { missing } from '../../model/builder/draft';
import { offerText } from '../../model/builder/offers';
import { lint } from '../../model/lint/lint';
import { lineOf } from '../../model/scenario/problems';
import { player } from '../../model/session/open-run';
import { session } from '../../model/session/session';
import { Button } from '../../widgets/Button';
import styles from './OpenItems.module.css';
import { applyFix, build, choose, partOf, takeOffer } from './state';
import { useOffers } from './useOffers';

/** The result of the last step, and what the machine still needs before it runs. */
export function OpenItems() {
  const { problems, note, from } = useStore(build);
  return (
    <div className={styles.finish}>
      {note && (
        <p className={styles.note} data-wire={from !== null || undefined}>
          {note}
        </p>
      )}
      {problems?.length === 0 && <Runs />}
      {problems !== null && problems.length > 0 && (
        <>
          <h3>
            To finish <em>the last complete machine runs below</em>
          </h3>
          <ul>
            {problems.map((found) => {
              const part = partOf(found);
              return (
                <li key={lineOf(found)}>
                  <span>{found.message}</span>
                  {part !== null && (
                    <Button look="link" onClick={() => choose(part)}>
                      {part}
                    </Button>
                  )}
                  {part === null && found.line > 0 && (
                    <Button look="link" onClick={() => runCommand('build.text')}>
                      line {found.line} of the text
                    </Button>
                  )}
                </li>
              );
            })}
          </ul>
          <Offers label="Parts that would complete it" kind="parts" />
        </>
      )}
      <p className="visually-hidden" id="build-keys">
        Enter opens the sheet of the part, or ends a wire at it; arrows move it; Delete removes it.
      </p>
    </div>
  );
}

/** A machine that runs, with warnings and their fixes. */
function Runs() {
  const machine = useStore(session, (state) => state.machine);
  const findings = useMemo(() => (machine ? lint(machine) : []), [machine]);
  const services = <Offers label="Services that its devices could use" kind="services" />;
  if (findings.length === 0)
    return (
      <>
        <p className={styles.runs}>
          <span aria-hidden="true">●</span> The machine is complete and runs below.
        </p>
        <GoesWrong />
        {services}
      </>
    );
  return (
    <>
      <h3>
        Warnings <em>it runs below, but probably not as intended</em>
      </h3>
      <ul className={styles.warnings}>
        {findings.map(({ rule, part, message, fix }) => (
          <li key={rule + message}>
            <span>{message}</span>
            <span>
              <Button look="link" onClick={() => choose(part)}>
                {part}
              </Button>
              {fix && (
                <Button size="small" onClick={() => applyFix(fix)}>
                  {fix.title}
                </Button>
              )}
            </span>
          </li>
        ))}
      </ul>
      <GoesWrong />
      {services}
    </>
  );
}

/** What goes wrong in the run, such as old data that a device is given; it is explained in the workspace. */
function GoesWrong() {
  useRun();
  const complete = useStore(player.state, (state) => state.complete);
  const opened = useStore(player.state, (state) => state.opened);
  const isSealed = useHidesFuture();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another run has another trace
  const wrong = useMemo(() => (complete ? wrongEvents() : []), [complete, opened]);
  const [first] = wrong;
  const trace = player.trace();
  if (first === undefined || !trace || isSealed) return null;
  return (
    <p className={styles.wrong}>
      <span>
        {trace.sentence(first)} <time>{text(time(trace.timeOf(first)))}</time>
        {wrong.length > 1 && `, the first of ${integer(wrong.length)} such events.`}
      </span>
      <Button size="small" onClick={() => explainInWorkspace(first)}>
        Why?
      </Button>
    </p>
  );
}

/**
 * New parts with their wires: for required ports that nothing in the machine fits, or services for devices that no
 * program can use yet.
 */
function Offers({ label, kind }: { readonly label: string; readonly kind: 'parts' | 'services' }) {
  const { file, draft } = useStore(build);
  const found = useOffers(file, missing(draft));
  const all = found[kind].map((offer) => [offerText(offer), offer] as const);
  const offers = [...new Map(all)].slice(0, MOST_OFFERS);
  if (offers.length === 0) return null;
  return (
    <ul className={styles.offers} aria-label={label}>
      {offers.map(([text, offer]) => (
        <li key={text}>
          <Button size="small" onClick={() => takeOffer(offer)}>
            {text}
          </Button>
        </li>
      ))}
    </ul>
  );
}

const MOST_OFFERS = 4;
