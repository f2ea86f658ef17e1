import { hintedPart } from '../../controllers/machine-features';
import { useAnswerMask } from '../../controllers/useAnswerMask';
import { useFrameValue, useRun } from '../../controllers/useRun';
import { ADVISED, adviceForReads, type ReadAdvice } from '../../model/diagnosis/read-advice';
import { setParam } from '../../model/session/editing';
import { player } from '../../model/session/open-run';
import { session } from '../../model/session/session';
import { Button } from '../../widgets/Button';
import styles from './Hints.module.css';

const partNow = (): number =>
  session.getState().machine?.parts.findIndex(({ name }) => name === hintedPart.getState()?.name) ??
  -1;

/** As one string, which compares by value. */
function adviceNow(): string {
  const { machine } = session.getState();
  const frame = player.frame();
  return machine && frame
    ? JSON.stringify(adviceForReads(machine, partNow(), frame.counters, player.now().timePs))
    : '[]';
}

/** Possible improvements of devices' reads from the run so far, and suggested fixes. */
export function AdvicePanel() {
  useRun();
  const answerMask = useAnswerMask();
  const adviceText = useFrameValue(adviceNow);
  if (answerMask?.masks(partNow(), ...ADVISED)) return null;
  const advice = JSON.parse(adviceText) as ReadAdvice[];
  return (
    <section aria-label="Advice" className={styles.advice}>
      <h3>Advice</h3>
      {advice.length === 0 && <p>No problem with these reads so far.</p>}
      {advice.map(({ text, tries }) => (
        <p key={text.replace(/\d/g, '')}>
          {text}
          {tries.length > 0 && ' Try '}
          {tries.map(({ title, path, value }, i) => (
            <span key={path}>
              {i > 0 && (i === tries.length - 1 ? ' or ' : ', ')}
              <Button look="word" onClick={() => setParam(path, value, { commit: true })}>
                {title}
              </Button>
            </span>
          ))}
          {tries.length > 0 && '.'}
        </p>
      ))}
    </section>
  );
}
