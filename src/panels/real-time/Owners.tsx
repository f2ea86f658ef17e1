import { useEffect } from 'react';
import { hasPackets, realTime } from '../../controllers/machine-features';
import { useLiveGroup } from '../../controllers/useLiveShapes';
import { useFrameValue, useRun } from '../../controllers/useRun';
import { useSize } from '../../controllers/useSize';
import { useScale, useStore } from '../../controllers/useStore';
import {
  OWNERS,
  type Ownership,
  ownerSentences,
  ownerShapes,
  ownershipOf,
  ownerViews,
} from '../../draw/realtime/owners';
import type { Frame } from '../../engine/api';
import { player } from '../../model/session/open-run';
import { session } from '../../model/session/session';
import { Legend } from '../../widgets/Legend';
import { Panel } from '../../widgets/Panel';
import { SvgView } from '../../widgets/SvgView';
import { TextAlternative } from '../../widgets/TextAlternative';
import styles from './RealTime.module.css';
import { realTimeNow } from './realtime-now';

let read: { frame: Frame | null; owned: Ownership | null } = { frame: null, owned: null };

/** Read once per frame. */
function ownedNow(): Ownership | null {
  const frame = player.frame();
  if (frame === read.frame && read.owned) return read.owned;
  const { machine } = session.getState();
  const now = realTimeNow();
  read = { frame, owned: machine && now && frame ? ownershipOf(machine, now.log, frame) : null };
  return read.owned;
}

/** Owners of buffers and locks, and messages in queues. */
export default function EntryOwners() {
  useRun();
  const machine = useStore(session, (state) => state.machine);
  const roles = useStore(realTime);
  const packets = useStore(hasPackets);
  useEffect(
    () => (machine && roles ? player.want(ownerViews(machine, roles)) : undefined),
    [machine, roles],
  );
  const text = useFrameValue(() => {
    const owned = ownedNow();
    return owned ? ownerSentences(owned).join('\n') : '';
  });
  const sentences = text === '' ? [] : text.split('\n');
  return (
    <Panel
      title="Ownership of buffers"
      textAlternative={<TextAlternative summary="At the playhead." sentences={sentences} />}
    >
      <div className={styles.split}>
        <Sheet label={sentences[0] ?? 'Buffers, queues and locks'} />
        {packets && <Legend kinds={OWNERS} className={styles.legend} />}
      </div>
    </Panel>
  );
}

function Sheet({ label }: { readonly label: string }) {
  const [box, { width, height }] = useSize();
  const scale = useScale();
  const sheet = { width: width / scale, height: height / scale };
  const group = useLiveGroup(() => {
    const owned = ownedNow();
    return owned && width > 0 ? ownerShapes(owned, sheet.width, sheet.height) : [];
  });
  return (
    <div className={styles.box} ref={box}>
      <SvgView {...sheet} scale={scale} label={label}>
        <g ref={group} />
      </SvgView>
    </div>
  );
}
