import { useHidesExperiment } from '../../controllers/useAnswerMask';
import { useLiveCommands } from '../../controllers/useRun';
import { useRunTable } from '../../controllers/useRunTable';
import { useSize } from '../../controllers/useSize';
import { useScale, useStore } from '../../controllers/useStore';
import {
  type Gain,
  gainSentences,
  gainShapes,
  gainsHeight,
  gainsOf,
} from '../../draw/realtime/gains';
import { session } from '../../model/session/session';
import { Panel } from '../../widgets/Panel';
import { ShapeView } from '../../widgets/ShapeView';
import { SvgView } from '../../widgets/SvgView';
import { Table } from '../../widgets/Table';
import { TextAlternative } from '../../widgets/TextAlternative';
import { OpenRun } from './OpenRun';
import styles from './RealTime.module.css';

/** The gain of the second processor, simulated and published, a row for each load. */
export default function Gains() {
  const table = useRunTable();
  const liveCommands = useLiveCommands();
  const data = useStore(session, (state) => state.data);
  const machine = useStore(session, (state) => state.machine);
  const masked = useHidesExperiment();
  const gains = data ? gainsOf(table, data, machine?.variables ?? {}) : [];
  return (
    <Panel
      title="Gains compared with the paper’s"
      sub={liveCommands ?? 'dot simulated, ring published'}
      masked={masked}
      scroll
      textAlternative={
        <TextAlternative sentences={gainSentences(gains)}>
          <Table<Gain>
            caption="The runs compared"
            columns={[
              { id: 'title', title: 'load', cell: (gain) => <OpenRun {...gain} /> },
              { id: 'published', title: 'published', cell: ({ statement }) => statement },
            ]}
            rows={gains}
            rowKey={({ title }) => title}
          />
        </TextAlternative>
      }
    >
      <Sheet gains={gains} />
    </Panel>
  );
}

function Sheet({ gains }: { readonly gains: readonly Gain[] }) {
  const [box, { width, height }] = useSize();
  const scale = useScale();
  return (
    <div className={styles.fitted} ref={box}>
      {width > 0 && (
        <SvgView
          width={width / scale}
          height={gainsHeight(gains.length, height / scale)}
          scale={scale}
          label={gainSentences(gains).join(' ')}
        >
          <ShapeView shapes={gainShapes(gains, width / scale, height / scale)} />
        </SvgView>
      )}
    </div>
  );
}
