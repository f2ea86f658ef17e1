import { useEffect, useState } from 'react';
import { count, integer } from '../../base/format';
import { showOverlay } from '../../base/shell-state';
import { useRun } from '../../controllers/useRun';
import { useStore } from '../../controllers/useStore';
import { openQuestion, roomQuestion, shownQuestion } from '../../model/lesson/answer-mask';
import { answer, hasVerdict } from '../../model/lesson/answer-question';
import { plainText, type Question } from '../../model/lesson/lesson';
import { orderNow } from '../../model/lesson/option-order';
import { player } from '../../model/session/open-run';
import { Button, IconButton } from '../../widgets/Button';
import { Dialog } from '../../widgets/Dialog';
import { Kbd } from '../../widgets/Kbd';
import styles from './Room.module.css';
import { changeVotes, countHand, forgetVotes, votes, votesOn } from './votes';

const close = () => showOverlay(null);

/** The question of the step over the whole page: hands are counted, then the run decides. */
export default function FreeRoom() {
  const [question] = useState(shownQuestion);
  return (
    <Dialog title="Ask the room" className={styles.room} onClose={close}>
      {question ? (
        <OpenQuestion question={question} />
      ) : (
        <p>This step of the lesson asks nothing.</p>
      )}
    </Dialog>
  );
}

function OpenQuestion({ question }: { readonly question: Question }) {
  useRun();
  useStore(player.state, (state) => state.complete);
  const prompt = plainText(question.prompt);
  const { counts, hidden, revealed } = useStore(votes, () => votesOn(prompt));
  const right = revealed ? hasVerdict(question) : null;
  const hands = counts.reduce((sum, one) => sum + one, 0);

  // A known answer stays masked until revealed, also in the machine beside the dialog.
  useEffect(() => {
    roomQuestion.setState({ question: revealed ? null : prompt });
    return () => {
      if (!votesOn(prompt).counts.some((hands) => hands > 0))
        roomQuestion.setState({ question: null });
    };
  }, [prompt, revealed]);

  const order = orderNow(question);
  useDigits(order.length, (place, by) => {
    if (!revealed) countHand(prompt, order[place] ?? 0, by);
  });

  function reveal(): void {
    if (openQuestion() || hasVerdict(question) === null) void answer(question, null);
    changeVotes(prompt, { revealed: true, hidden: false });
  }

  return (
    <div className={styles.asked}>
      <p className={styles.prompt}>{prompt}</p>
      <ol className={styles.options}>
        {order.map((index, place) => (
          <Choice
            key={index}
            words={plainText(question.options[index]?.inlines ?? [])}
            number={place + 1}
            share={hidden || hands === 0 ? 0 : (counts[index] ?? 0) / hands}
            hands={hidden ? null : (counts[index] ?? 0)}
            isRight={right === index}
            onCount={revealed ? null : (by) => countHand(prompt, index, by)}
          />
        ))}
      </ol>
      <div className={styles.outcome} aria-live="polite">
        {revealed && <p>{outcomeOf(question, right)}</p>}
      </div>
      <div className={styles.actions}>
        {revealed ? (
          <Button look="primary" onClick={close}>
            See it in the run
          </Button>
        ) : (
          <Button look="primary" onClick={reveal}>
            Reveal what the run says
          </Button>
        )}
        <Button onClick={() => changeVotes(prompt, { hidden: !hidden })}>
          {hidden ? 'Show the counts' : 'Hide the counts'}
        </Button>
        <Button look="link" onClick={() => forgetVotes(prompt)}>
          Ask again
        </Button>
        <span className={styles.hands}>{count(hands, 'hand', 'hands')}</span>
      </div>
    </div>
  );
}

/**
 * The digit of a key press: from the digit row with or without Shift, from the number pad only as a digit.
 */
function digitOf({ code, key }: KeyboardEvent): number {
  const [, , digit = 0] = /^(Digit|Numpad)([1-9])$/.exec(code) ?? [];
  return code.startsWith('Numpad') && key !== digit ? 0 : Number(digit);
}

/** A digit adds a hand for the option at that place, with Shift removes one, wherever the focus is. */
function useDigits(most: number, count: (place: number, by: 1 | -1) => void): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const place = digitOf(event) - 1;
      if (place < 0 || place >= most || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      count(place, event.shiftKey ? -1 : 1);
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  });
}

function outcomeOf({ because }: Question, right: number | null): string {
  if (right === null) return 'The run is being computed.';
  return right < 0 ? 'None of these is what happened.' : plainText(because);
}

interface ChoiceProps {
  readonly words: string;
  readonly number: number;
  /** Share of all hands, 0 to 1. */
  readonly share: number;
  /** Null while hidden. */
  readonly hands: number | null;
  readonly isRight: boolean;
  readonly onCount: ((by: 1 | -1) => void) | null;
}

function Choice({ words, number, share, hands, isRight, onCount }: ChoiceProps) {
  return (
    <li className={styles.option} data-right={isRight || undefined}>
      <Kbd keys={String(number)} />
      <span className={styles.words}>
        {words}
        {isRight && <em>what happened</em>}
        <i className={styles.bar} style={{ inlineSize: `${share * 100}%` }} aria-hidden="true" />
      </span>
      <span className={styles.counter}>
        {onCount && (
          <IconButton icon="minus" label={`One less for ${words}`} onClick={() => onCount(-1)} />
        )}
        <b>{hands === null ? '·' : integer(hands)}</b>
        {onCount && (
          <IconButton icon="plus" label={`One more for ${words}`} onClick={() => onCount(1)} />
        )}
      </span>
    </li>
  );
}
