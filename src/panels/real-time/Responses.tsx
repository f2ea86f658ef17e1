import { useState } from 'react';
import { integer } from '../../base/format';
import { loop } from '../../base/loop';
import { useComparisonRun } from '../../controllers/useComparisonRun';
import { useLiveGroup } from '../../controllers/useLiveShapes';
import { useFrameValue, useRun } from '../../controllers/useRun';
import { useSize } from '../../controllers/useSize';
import { useLatest, useScale, useStore } from '../../controllers/useStore';
import {
  judgedBy,
  responseRange,
  responseSentences,
  responseShapes,
} from '../../draw/realtime/responses';
import type { Response } from '../../model/realtime/realtime-log';
import { player } from '../../model/session/open-run';
import { EmptyState } from '../../widgets/Feedback';
import { SealedPart } from '../../widgets/Masked';
import { Panel } from '../../widgets/Panel';
import { Segmented } from '../../widgets/Segmented';
import { SvgView } from '../../widgets/SvgView';
import { TextAlternative } from '../../widgets/TextAlternative';
import { DeadlineHandle } from './DeadlineHandle';
import { chosenGroup, comparisonGroups, groupsNow, PACKETS, type ResponseGroup } from './groups';
import styles from './RealTime.module.css';
import { useHidesRealTime } from './realtime-now';

const OF_PACKETS = ['late', 'latency', 'latency_most'];
const OF_JOBS = ['missed', 'response', 'response_most', 'jobs'];

const isLate = ({ responses }: ResponseGroup): boolean => responses.some(({ missed }) => missed);

/** Response times of jobs and packets, from release or arrival to the end, and which were late. */
export default function Responses() {
  useRun();
  const seals = { packets: useHidesRealTime(...OF_PACKETS), jobs: useHidesRealTime(...OF_JOBS) };
  const isSealed = ({ id: which }: ResponseGroup) =>
    which === PACKETS ? seals.packets : seals.jobs;
  const groups = useFrameValue(groupsNow);
  const { run, ownTitle, title: otherTitle } = useComparisonRun();
  const others = useFrameValue(() => {
    if (run && !run.log.update()) loop.once('advance', () => player.refresh());
    return comparisonGroups(run?.log ?? null);
  });
  const id = useStore(chosenGroup, (state) => state.id);
  const [dragged, setDragged] = useState<number | null>(null);
  const whole = groups.find((one) => one.id === id) ?? groups.find(isLate) ?? groups[0] ?? null;
  const group = whole && dragged !== null ? judged(whole, dragged) : whole;
  const otherGroup = run ? (others.find(({ title }) => title === whole?.title) ?? null) : null;
  const sealed = group !== null && isSealed(group) && (
    <SealedPart what={`response times of ${group.what}`} />
  );
  const comparison = otherGroup && dragged !== null ? judged(otherGroup, dragged) : otherGroup;
  return (
    <Panel
      title="Response times"
      sub={
        group &&
        !sealed &&
        (comparison ? `A ${shareOf(group)}, B ${shareOf(comparison)}` : subOf(group))
      }
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
      textAlternative={
        <TextAlternative
          summary={sealed}
          sentences={[
            ...(run ? [`A: ${ownTitle}.`] : []),
            ...sentencesOf(groups.filter((one) => !isSealed(one))),
            ...(run
              ? [`B: ${otherTitle}.`, ...sentencesOf(others.filter((one) => !isSealed(one)))]
              : []),
          ]}
        />
      }
    >
      <div className={styles.split}>
        {group && whole ? (
          <Sheet
            isSealed={Boolean(sealed)}
            group={group}
            comparison={comparison}
            was={whole.deadline}
            isHeld={dragged !== null}
            hold={setDragged}
          />
        ) : (
          <EmptyState title="Nothing has finished yet." />
        )}
        {sealed}
      </div>
    </Panel>
  );
}

const sentencesOf = (groups: readonly ResponseGroup[]): string[] =>
  groups.flatMap(({ responses, deadline, what }) => responseSentences(responses, deadline, what));

/** Short enough to fit beside that of another run. */
const shareOf = ({ responses, deadline, what }: ResponseGroup): string =>
  deadline === null
    ? `${integer(responses.length)} ${what.split(' ')[0]}`
    : `${integer(responses.filter((one) => one.missed).length)} late`;

/** Without a deadline nothing is late. */
function subOf({ responses, deadline, what }: ResponseGroup): string {
  if (deadline === null) return `${integer(responses.length)} ${what}, no deadline`;
  return `${responses.filter((one) => one.missed).length} of ${responses.length} late`;
}

/** The group judged by a dragged deadline. */
const judged = (group: ResponseGroup, deadline: number): ResponseGroup => ({
  ...group,
  deadline,
  responses: judgedBy(group.responses, deadline),
});

const NONE: readonly Response[] = [];

interface SheetProps {
  readonly group: ResponseGroup;
  /** The same group of the comparison run. */
  readonly comparison: ResponseGroup | null;
  /** The deadline in force during a drag. */
  readonly was: number | null;
  readonly isHeld: boolean;
  readonly isSealed: boolean;
  hold(deadline: number | null): void;
}

function Sheet({ group, comparison, was, isHeld, isSealed, hold }: SheetProps) {
  const [box, { width, height }] = useSize();
  const scale = useScale();
  const { deadline, what, id } = group;
  const responses = isSealed ? NONE : group.responses;
  const all = comparison && !isSealed ? [...responses, ...comparison.responses] : responses;
  const reach = useLatest(responseRange(all, deadline), isHeld);
  const sheet = {
    width: width / scale,
    height: height / scale,
    reach,
    deadline,
    was,
    comparison: comparison?.responses ?? null,
    isSealed,
  };
  const shapes = useLiveGroup(() =>
    width > 0 ? responseShapes(responses, { ...sheet, playheadPs: player.now().timePs }) : [],
  );
  return (
    <div className={styles.box} ref={box}>
      <SvgView
        width={sheet.width}
        height={sheet.height}
        scale={scale}
        label={
          isSealed
            ? `Response times of ${what}`
            : responseSentences(responses, deadline, what).join(' ')
        }
        interactive={id === PACKETS}
      >
        <g ref={shapes} />
        {id === PACKETS && width > 0 && (
          <DeadlineHandle sheet={sheet} scale={scale} onDrag={hold} />
        )}
      </SvgView>
    </div>
  );
}
