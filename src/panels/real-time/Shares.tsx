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
import { SHARES } from '../../model/realtime/cpu-shares';
import { player } from '../../model/session/open-run';
import { Legend } from '../../widgets/Legend';
import { Panel } from '../../widgets/Panel';
import { SvgView } from '../../widgets/SvgView';
import { TextAlternative } from '../../widgets/TextAlternative';
import styles from './RealTime.module.css';
import { realTimeNow, useHidesRealTime } from './realtime-now';

let read: { key: string; shares: readonly CpuShare[] } = { key: '', shares: [] };

/** From the start to the playhead. */
function sharesNow(): readonly CpuShare[] {
  const now = realTimeNow();
  if (!now) return [];
  const { timePs } = player.now();
  const { opened, recorded } = player.state.getState();
  const key = `${opened} ${recorded} ${timePs}`;
  if (key !== read.key) read = { key, shares: cpuShares(now.log, now.trace, timePs) };
  return read.shares;
}

const KINDS = [...SHARES, { kind: 'idle', title: 'idle' }];
const ASKED = SHARES.flatMap(({ states }) => states.map((state) => `in_${state}`));

/** The time of each processor up to the playhead, by use. */
export default function Shares() {
  useRun();
  const masked = useHidesRealTime(...ASKED);
  const text = useFrameValue(() => shareSentences(sharesNow()).join('\n'));
  const sentences = text === '' ? [] : text.split('\n');
  return (
    <Panel
      title="Processors"
      sub="from the start to the playhead"
      masked={masked}
      textAlternative={<TextAlternative sentences={sentences} />}
    >
      <div className={styles.split}>
        <Sheet label={sentences.join(' ')} />
        <Legend kinds={KINDS} className={styles.legend} />
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
