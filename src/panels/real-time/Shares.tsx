import { useAnswerMask } from '../../controllers/useAnswerMask';
import { useLiveGroup } from '../../controllers/useLiveShapes';
import { useFrameValue, useRun } from '../../controllers/useRun';
import { useSize } from '../../controllers/useSize';
import { useScale } from '../../controllers/useStore';
import {
  type CpuShare,
  cpuShares,
  shareSentences,
  shareShapes,
  sharesHeight,
} from '../../draw/realtime/cpu-shares';
import { type AnswerMask, answerMask } from '../../model/lesson/answer-mask';
import { SHARES, timeCounter } from '../../model/realtime/cpu-shares';
import { player } from '../../model/session/open-run';
import { Legend } from '../../widgets/Legend';
import { SealedPart } from '../../widgets/Masked';
import { Panel } from '../../widgets/Panel';
import { SvgView } from '../../widgets/SvgView';
import { TextAlternative } from '../../widgets/TextAlternative';
import styles from './RealTime.module.css';
import { realTimeNow } from './realtime-now';

let read: { key: string; mask: AnswerMask | null; shares: readonly CpuShare[] } = {
  key: '',
  mask: null,
  shares: [],
};

/** From the start to the playhead. */
function sharesNow(): readonly CpuShare[] {
  const now = realTimeNow();
  if (!now) return [];
  const { timePs } = player.now();
  const { opened, recorded } = player.state.getState();
  const key = `${opened} ${recorded} ${timePs}`;
  const mask = answerMask.getState();
  if (key !== read.key || mask !== read.mask) {
    const asks = (part: number, states: readonly string[]) =>
      mask?.masks(part, ...states.map(timeCounter)) ?? false;
    read = { key, mask, shares: cpuShares(now.log, now.trace, timePs, asks) };
  }
  return read.shares;
}

const KINDS = [...SHARES, { kind: 'idle', title: 'idle' }];

/** The time of each processor up to the playhead, by use. */
export default function Shares() {
  useRun();
  useAnswerMask();
  const text = useFrameValue(() => shareSentences(sharesNow()).join('\n'));
  const isSealed = useFrameValue(() => sharesNow().some((one) => one.isSealed));
  const sentences = text === '' ? [] : text.split('\n');
  const seal = isSealed && <SealedPart what="time of the processors" />;
  return (
    <Panel
      title="Processors"
      sub="from the start to the playhead"
      textAlternative={<TextAlternative summary={seal} sentences={sentences} />}
    >
      <div className={styles.split}>
        <Sheet label={sentences.join(' ')} />
        {seal || <Legend kinds={KINDS} className={styles.legend} />}
      </div>
    </Panel>
  );
}

function Sheet({ label }: { readonly label: string }) {
  const [box, { width, height }] = useSize();
  const scale = useScale();
  const group = useLiveGroup(() =>
    width > 0 ? shareShapes(sharesNow(), width / scale, height / scale) : [],
  );
  const needed = useFrameValue(() => sharesHeight(sharesNow().length, height / scale));
  return (
    <div className={styles.scrolled} ref={box}>
      <SvgView width={width / scale} height={needed} scale={scale} label={label}>
        <g ref={group} />
      </SvgView>
    </div>
  );
}
