import { useRef } from 'react';
import { signedPercent, text, time } from '../../base/format';
import { useRunTable } from '../../controllers/useRunTable';
import { useScale } from '../../controllers/useScale';
import { useSize } from '../../controllers/useSize';
import { useStore } from '../../controllers/useStore';
import {
  type LoadChart,
  loadChart,
  loadSentences,
  loadShapes,
} from '../../draw/real-time/load-curves';
import { session } from '../../model/session/session';
import { ShapeView } from '../../widgets/ShapeView';
import { SvgView } from '../../widgets/SvgView';
import { Table } from '../../widgets/Table';
import { TextTwin } from '../../widgets/TextTwin';
import { GainPanel } from './GainPanel';
import { OpenRun } from './OpenRun';
import styles from './RealTime.module.css';

/** What the second processor gains at each load; every point is two runs, made again after each edit. */
export default function LoadCurves() {
  const table = useRunTable();
  const machine = useStore(session, (state) => state.machine);
  const chart = machine ? loadChart(table, machine) : null;
  return (
    <GainPanel
      table={table}
      empty="This scenario has no loads."
      twin={chart && <Twin chart={chart} />}
    >
      {chart && <Sheet chart={chart} />}
    </GainPanel>
  );
}

function Sheet({ chart }: { readonly chart: LoadChart }) {
  const box = useRef<HTMLDivElement>(null);
  const { width, height } = useSize(box);
  const scale = useScale();
  const sheet = { width: width / scale, height: height / scale };
  return (
    <div className={styles.box} ref={box}>
      {width > 0 && (
        <SvgView {...sheet} scale={scale} label={loadSentences(chart).join(' ')}>
          <ShapeView shapes={loadShapes(chart, sheet.width, sheet.height)} />
        </SvgView>
      )}
    </div>
  );
}

function Twin({ chart }: { readonly chart: LoadChart }) {
  const rows = chart.curves.flatMap(({ title, points }) =>
    points.map((point) => ({ title, ...point })),
  );
  return (
    <TextTwin sentences={loadSentences(chart)}>
      <Table<(typeof rows)[0]>
        caption="Gain at each load"
        columns={[
          {
            id: 'load',
            title: 'work for a byte',
            cell: ({ title, work, variables }) => (
              <OpenRun variables={variables} title={`${text(time(work, 3))}, ${title}`} />
            ),
          },
          {
            id: 'gain',
            title: 'gain',
            numeric: true,
            cell: ({ gain }) => (gain === null ? 'not run yet' : signedPercent(gain)),
          },
        ]}
        rows={rows}
        rowKey={({ title, work }) => `${title} ${work}`}
      />
    </TextTwin>
  );
}
