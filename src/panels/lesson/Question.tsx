import {
  Fragment,
  type ReactNode,
  type RefObject,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react';
import { showToast } from '../../base/notices';
import { showsOneRun } from '../../controllers/machine-features';
import { useStore } from '../../controllers/useStore';
import {
  evidenceTarget,
  guess,
  justShows,
  laterQuestion,
  maskEnabled,
  roomQuestion,
} from '../../model/lesson/answer-mask';
import { answer, hasVerdict, justShow } from '../../model/lesson/answer-question';
import { firstGuesses, keepFirstGuess } from '../../model/lesson/first-guess';
import { plainText, type Question } from '../../model/lesson/lesson';
import { orderNow } from '../../model/lesson/option-order';
import { isQuestionRun, openQuestionRun } from '../../model/lesson/question-run';
import { answers, saveAnswer, scenarioKey } from '../../model/session/answers';
import { player } from '../../model/session/open-run';
import { session } from '../../model/session/session';
import { Button } from '../../widgets/Button';
import { Inlines } from './Blocks';
import { MakeTrue } from './MakeTrue';
import { Measures } from './Measures';
import styles from './Question.module.css';
import { showMachine } from './showMachine';

/**
 * open      the reader chooses, commits, or reveals the answer
 *   playing   the run is playing to the deciding event
 *   decided   the run has given the answer
 */
type Phase = 'open' | 'playing' | 'decided';

interface Given {
  readonly phase: Phase;
  /** Ids of the options chosen first and second. */
  readonly first: string | null;
  readonly second: string | null;
}

function usePhase(question: Question): Given {
  const prompt = plainText(question.prompt);
  const key = useStore(session, scenarioKey);
  const kept = useStore(answers, (all) => all[key]?.[question.id]);
  const masked = useStore(roomQuestion, (asked) => asked.question === prompt);
  const given = masked ? undefined : kept;
  const playing = useStore(evidenceTarget, (state) => state.question === prompt);
  const phase = given === undefined ? 'open' : playing ? 'playing' : 'decided';
  const tried = useStore(firstGuesses, (all) => all[`${key} ${question.id}`] ?? null);
  if (phase === 'open') return { phase, first: masked ? null : tried, second: null };
  return { phase, first: given?.option ?? null, second: given?.second ?? null };
}

interface AskProps {
  readonly question: Question;
  /** Goes to the next step of the lesson; null at the end. */
  readonly next: (() => void) | null;
}

/** A question: choose, commit, and the run decides. The focus stays with the question throughout. */
export function Ask({ question, next }: AskProps) {
  const name = useId();
  const box = useRef<HTMLFieldSetElement>(null);
  const { phase, first, second } = usePhase(question);
  const [choice, choose] = useState<number | null>(null);
  const right = useVerdict(question);
  const isHere = useStore(session, () => isQuestionRun(question));
  const order = orderNow(question);
  const decided = phase === 'decided' && right !== null;
  const hinted = phase === 'open' && first !== null;
  const wasPlayed = useRef(false);
  if (phase === 'playing') wasPlayed.current = true;
  const indexOf = (id: string | null) => question.options.findIndex((option) => option.id === id);
  const [firstAt, secondAt] = [indexOf(first), indexOf(second)];
  const chosen = phase === 'open' ? choice : secondAt < 0 ? firstAt : secondAt;
  useEffect(() => {
    if (phase !== 'open' || first !== null) choose(null);
  }, [phase, first]);
  useEffect(() => {
    guess.setState({ option: choice });
    return () => guess.setState({ option: null });
  }, [choice]);
  useEffect(() => {
    // Hint and answer are below the options; they are scrolled into view if the question has the focus.
    const isHere = box.current?.contains(document.activeElement);
    if ((decided || hinted) && isHere) box.current?.scrollIntoView({ block: 'nearest' });
  }, [decided, hinted]);
  useGrowth(box);
  useShown(question, phase);
  const act = (reveal: () => Promise<void>) => {
    box.current?.focus();
    void reveal();
  };
  return (
    <fieldset ref={box} className={styles.question} tabIndex={-1} data-question={phase}>
      <legend>
        <span className={styles.label}>
          <b>{decided ? 'The run says' : 'Predict'}</b>
          <span>
            <Aside question={question} phase={phase} />
          </span>
        </span>
        <span className={styles.prompt}>
          <Inlines inlines={question.prompt} />
        </span>
      </legend>
      {order.map((index) => {
        const isMiss = decided && index !== right && (index === firstAt || index === secondAt);
        const isTried = phase === 'open' && index === firstAt;
        const option = question.options[index];
        return (
          <Fragment key={option?.id}>
            <label
              className={styles.option}
              data-chosen={index === chosen || undefined}
              data-right={(decided && index === right) || undefined}
              data-struck={isMiss || isTried || undefined}
            >
              <input
                type="radio"
                name={name}
                checked={index === chosen}
                disabled={phase !== 'open' || isTried}
                onChange={() => choose(index)}
              />
              <span>
                <Inlines inlines={option?.inlines ?? []} />
              </span>
              <em>{markOf({ index, firstAt, secondAt, right, decided, isTried })}</em>
            </label>
            {(isTried || isMiss) && option && option.hint.length > 0 && (
              <p className={styles.hint} role={isTried ? 'status' : undefined}>
                <Inlines inlines={option.hint} />
              </p>
            )}
          </Fragment>
        );
      })}
      {phase === 'open' && !isHere && (
        <p className={styles.running}>
          The question is about another machine than the open one. Answering opens it.
        </p>
      )}
      {phase === 'open' && (
        <div className={styles.actions}>
          <Button
            look="primary"
            disabled={choice === null}
            onClick={() => act(() => answer(question, choice))}
          >
            {first === null ? 'Break the seal' : 'Try once more'}
          </Button>
          <Button look="link" onClick={() => act(() => justShow(question))}>
            Just show me
          </Button>
        </div>
      )}
      {phase === 'playing' && <Playing />}
      {phase === 'decided' && !decided && isHere && (
        <p className={styles.running}>The run is being computed.</p>
      )}
      <div aria-live="polite">
        {phase === 'decided' && (decided || !isHere) && (
          <Outcome
            question={question}
            right={right}
            guessed={secondAt >= 0 && secondAt !== right ? secondAt : firstAt}
            isHere={isHere}
            wasPlayed={wasPlayed.current}
            next={next}
            focus={() => box.current?.focus()}
          />
        )}
      </div>
    </fieldset>
  );
}

/** What appears in the question later, such as measures or a machine that was found, is scrolled into view. */
function useGrowth(box: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const { current } = box;
    if (!current) return;
    const grown = new ResizeObserver(() => {
      const { activeElement } = document;
      if (current.contains(activeElement)) activeElement?.scrollIntoView({ block: 'nearest' });
    });
    grown.observe(current);
    return () => grown.disconnect();
  }, [box]);
}

interface Marking {
  readonly index: number;
  readonly firstAt: number;
  readonly secondAt: number;
  readonly right: number | null;
  readonly decided: boolean;
  readonly isTried: boolean;
}

/** What stands beside an option. */
function markOf({ index, firstAt, secondAt, right, decided, isTried }: Marking): string {
  if (isTried) return 'first guess';
  if (!decided) return '';
  if (index === right) return 'what happened';
  if (index === secondAt) return 'second guess';
  if (index === firstAt) return secondAt < 0 ? 'your answer' : 'first guess';
  return '';
}

/**
 * The option that the question's run decided on, now or when it was open; null until it is recorded to its
 * end.
 */
function useVerdict(question: Question): number | null {
  useStore(player.state, (state) => state.recorded);
  useStore(player.state, (state) => state.complete);
  useStore(session, (state) => state.machine);
  useStore(answers);
  return hasVerdict(question);
}

/** Shows the answers of this and later questions without a guess. */
function useShown(question: Question, phase: Phase): void {
  const shows = useStore(justShows, ({ on }) => on);
  const isPosed = useStore(roomQuestion, (asked) => asked.question === plainText(question.prompt));
  useEffect(() => {
    if (!shows || isPosed || phase !== 'open' || !isQuestionRun(question)) return;
    saveAnswer(scenarioKey(session.getState()), question, { option: null, right: null });
  }, [shows, isPosed, phase, question]);
}

interface AsideProps {
  readonly question: Question;
  readonly phase: Phase;
}

function Aside({ question, phase }: AsideProps): ReactNode {
  const shown = useStore(maskEnabled, ({ on }) => !on);
  if (phase === 'playing') return 'running to the evidence';
  if (phase === 'decided') return null;
  return shown ? 'answers are not hidden' : `${question.options.length} choices, one answer`;
}

/** The run is playing, and can be stopped. */
function Playing() {
  return (
    <div className={styles.actions}>
      <Button size="small" onClick={() => player.pause()}>
        Stop here
      </Button>
    </div>
  );
}

interface OutcomeProps {
  readonly question: Question;
  /** Null if another run is open and the result of the question's run was not kept. */
  readonly right: number | null;
  /** The reader's last answer that was not right, or the right one; -1 if it was shown. */
  readonly guessed: number;
  /** Whether the question's run is open. */
  readonly isHere: boolean;
  /** Whether the run has been played to the evidence in this step. */
  readonly wasPlayed: boolean;
  readonly next: (() => void) | null;
  /** Returns the focus to the question from a control that disappears. */
  focus(): void;
}

function Outcome({ question, right, guessed, isHere, wasPlayed, next, focus }: OutcomeProps) {
  const option = question.options[right ?? -1];
  return (
    <div className={styles.outcome}>
      {isHere && option && <Measures question={question} right={right ?? -1} isFirst={wasPlayed} />}
      {option && (
        <p>
          <Inlines inlines={question.because} />
        </p>
      )}
      {isHere && !option && <p>None of these is what happened.</p>}
      {!isHere && (
        <p className={styles.counted}>The question is about another machine than the open one.</p>
      )}
      <div className={styles.actions}>
        {next && (
          <Button look="primary" onClick={next}>
            Next step
          </Button>
        )}
        {isHere ? <Continue /> : <OpenQuestionRun question={question} onOpen={focus} />}
        <Button
          look="link"
          onClick={() => {
            focus();
            justShows.setState({ on: false });
            keepFirstGuess(question, null);
            saveAnswer(scenarioKey(session.getState()), question, null);
          }}
        >
          Ask again
        </Button>
      </div>
      {option && guessed >= 0 && guessed !== right && (
        <MakeTrue question={question} option={guessed} />
      )}
    </div>
  );
}

/** Goes to the end of the question's run, unless a later question seals it. */
function Continue() {
  const showsRun = useStore(showsOneRun);
  const isSealed = useStore(laterQuestion, ({ step }) => step !== null);
  if (isSealed && showsRun) return null;
  return showsRun ? (
    <Button size="small" onClick={() => void player.last()}>
      Go to the end of the run
    </Button>
  ) : (
    <Button size="small" onClick={showMachine}>
      See it in the machine
    </Button>
  );
}

/** Opens the question's run again. */
function OpenQuestionRun({ question, onOpen }: { readonly question: Question; onOpen(): void }) {
  const open = () => {
    onOpen();
    const refused = openQuestionRun(question);
    if (refused) showToast(refused.message);
  };
  return (
    <Button size="small" onClick={open}>
      Open the machine of the question
    </Button>
  );
}
