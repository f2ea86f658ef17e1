import { useLab } from '../../controllers/useLab';
import { sizeText } from '../../draw/lab/along-curve';
import { sizeShown } from '../../model/lab/state';
import { Panel } from '../../widgets/Panel';
import styles from './Caption.module.css';
import { explainsSealed, explanation } from './explanation';

/** For the projector: the selected size and the root cause. */
export default function Caption() {
  const state = useLab();
  const masked = explainsSealed(state);
  const found = masked ? null : explanation(state);
  const size = state.plan && sizeText(state.plan.axis, sizeShown(state));
  return (
    <Panel title={found?.question ?? 'Why'} bare>
      <div className={styles.caption}>
        <b>{size}</b>
        <p>
          {masked ? 'Hidden while the question is open.' : found?.sentences.slice(-2).join(' ')}
        </p>
      </div>
    </Panel>
  );
}
