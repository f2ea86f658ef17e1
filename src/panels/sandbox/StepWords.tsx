import { text, time } from '../../base/format';
import { useStore } from '../../controllers/useStore';
import { SANDBOX_LINES } from '../../model/sandbox/sandbox';
import type { Copy, LineNow } from '../../model/sandbox/sandbox-run';
import { busEvents, stepText } from '../../model/sandbox/sandbox-text';
import { FILM_PHASES, type FilmPhase, type StepFilm } from '../../model/sandbox/step-film';
import { violationsOf } from '../../model/sandbox/violations';
import { GlossaryText } from '../../widgets/GlossaryText';
import { Cell, copyState, memoryState } from './Cell';
import common from './common.module.css';
import { filming } from './film-state';
import styles from './StepWords.module.css';
import { play } from './sandbox-state';

/** The effects of the step: in words, on the bus, in states. */
export function StepWords() {
  const { run, shown, userSteps, rules } = useStore(play);
  const { film, phase } = useStore(filming);
  if (!run)
    return <section className={`${common.column} ${styles.words}`} aria-label="What it did" />;
  if (film && phase !== 'over') return <UnderWay film={film} phase={phase} step={shown} />;
  const isViolation = violationsOf(run, userSteps, shown).length > 0;
  const events = busEvents(run, shown);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
    <section className={`${common.column} ${styles.words}`} tabIndex={0} aria-label="What it did">
      <h3 className={common.small}>{shown === 0 ? 'At the start' : `Step ${shown}`}</h3>
      <p className={styles.sentence} data-violation={isViolation || undefined}>
        <GlossaryText text={stepText(run, userSteps, shown, rules)} />
      </p>
      {shown > 0 && <States />}
      {shown > 0 && (
        <>
          <h3 className={common.small}>On the bus</h3>
          <ol className={`${common.list} ${styles.events}`} aria-label="On the bus">
            {events.length === 0 && <li>Nothing: the cache handled it.</li>}
            {events.map(({ seq, sentence, afterPs }) => (
              <li key={seq}>
                <span>{sentence}</span>
                <em>{text(time(afterPs))}</em>
              </li>
            ))}
          </ol>
        </>
      )}
    </section>
  );
}

interface UnderWayProps {
  readonly film: StepFilm;
  readonly phase: FilmPhase;
  readonly step: number;
}

/** The phases of the film that is playing. */
function UnderWay({ film, phase, step }: UnderWayProps) {
  const at = FILM_PHASES.indexOf(phase);
  return (
    <section className={`${common.column} ${styles.words}`} aria-label="What it did">
      <h3 className={common.small}>Step {step}</h3>
      <p className={styles.sentence}>{film.title}…</p>
      <h3 className={common.small}>In this step</h3>
      <ol className={`${common.list} ${styles.events} ${styles.phases}`}>
        {film.rows.map(({ text: sentence, afterPs }, row) => (
          <li
            key={FILM_PHASES[row]}
            aria-current={row === at ? 'step' : undefined}
            data-ahead={row > at || undefined}
          >
            <span>{sentence}</span>
            <em>{afterPs === null ? '' : text(time(afterPs))}</em>
          </li>
        ))}
      </ol>
    </section>
  );
}

const changed = (one: unknown, other: unknown) => JSON.stringify(one) !== JSON.stringify(other);

const copyText = ({ title, value }: Copy) => (value === null ? title : `${title}, ${value}`);

/** Each part that holds a line, before and after. */
function States() {
  const { run, shown, userSteps } = useStore(play);
  const userStep = userSteps[shown - 1];
  const [was, now] = [run?.steps[shown - 1]?.lines, run?.steps[shown]?.lines];
  if (!userStep || !was || !now) return null;
  const line = userStep.line;
  const rows = (before: LineNow, after: LineNow) => [
    ...after.copies.map((copy, cpu) => ({
      name: `CPU ${cpu}`,
      states: [copyState(before.copies[cpu] ?? copy, before), copyState(copy, after)] as const,
      text: copyText(copy),
      moved: changed(copy, before.copies[cpu]),
    })),
    {
      name: 'memory',
      states: [memoryState(before), memoryState(after)] as const,
      text: String(after.memory),
      moved: before.memory !== after.memory || memoryState(before) !== memoryState(after),
    },
  ];
  return (
    <>
      <h3 className={common.small}>In states, line {SANDBOX_LINES.find((one) => one === line)}</h3>
      <table className={styles.states}>
        <tbody>
          {rows(was[line], now[line]).map(({ name, states, text, moved }) => (
            <tr key={name} data-moved={moved || undefined}>
              <th scope="row">{name}</th>
              <td>
                <span className={styles.change}>
                  <Cell size={18} state={states[0]} />
                  <span aria-hidden="true">→</span>
                  <Cell size={18} state={states[1]} />
                </span>
              </td>
              <td>{moved ? text : `${text}, unchanged`}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
