import { useRef } from 'react';
import { useLiveGroup } from '../../controllers/useLiveGroup';
import { useFrameValue, useRun } from '../../controllers/useRun';
import { useScale } from '../../controllers/useScale';
import { useSize } from '../../controllers/useSize';
import { useStore } from '../../controllers/useStore';
import { responseSentences, responseShapes } from '../../draw/real-time/responses';
import { player } from '../../model/session/opened';
import { EmptyState } from '../../widgets/Feedback';
import { Panel } from '../../widgets/Panel';
import { Segmented } from '../../widgets/Segmented';
import { SvgView } from '../../widgets/SvgView';
import { TextTwin } from '../../widgets/TextTwin';
import { chosenGroup, groupsNow, type ResponseGroup } from './groups';
import { useCoversRealTime } from './now';
import styles from './RealTime.module.css';

const ASKED = ['late', 'latency', 'latency_most', 'missed', 'response', 'response_most', 'jobs'];

const isLate = ({ responses }: ResponseGroup): boolean => responses.some(({ missed }) => missed);

/** How long jobs and packets took, from release or arrival to the end, and which were late. */
export default function Responses() {
  useRun();
  const covered = useCoversRealTime(...ASKED);
  const groups = useFrameValue(groupsNow);
  const id = useStore(chosenGroup, (state) => state.id);
  const group = groups.find((one) => one.id === id) ?? groups.find(isLate) ?? groups[0] ?? null;
  const missed = group?.responses.filter((one) => one.missed).length ?? 0;
  return (
    <Panel
      title="Response times"
      sub={group && !covered && `${missed} of ${group.responses.length} late`}
      covered={covered}
      tools={
        groups.length > 1 && (
          <Segmented
            label="Response times of"
            options={groups.map(({ id: value, title }) => ({ value, title }))}
            value={group?.id ?? ''}
            onChange={(value) => chosenGroup.setState({ id: value })}
          />
        )
      }
      twin={
        <TextTwin
          sentences={groups.flatMap(({ responses, deadline, what }) =>
            responseSentences(responses, deadline, what),
          )}
        />
      }
    >
      {group ? <Sheet group={group} /> : <EmptyState title="Nothing is over yet." />}
    </Panel>
  );
}

function Sheet({ group }: { readonly group: ResponseGroup }) {
  const box = useRef<HTMLDivElement>(null);
  const { width, height } = useSize(box);
  const scale = useScale();
  const sheet = { width: width / scale, height: height / scale };
  const { responses, deadline, what } = group;
  const shapes = useLiveGroup(() =>
    width > 0
      ? responseShapes(responses, { ...sheet, deadline, needlePs: player.now().timePs })
      : [],
  );
  return (
    <div className={styles.box} ref={box}>
      <SvgView
        {...sheet}
        scale={scale}
        label={responseSentences(responses, deadline, what).join(' ')}
      >
        <g ref={shapes} />
      </SvgView>
    </div>
  );
}
