import { signedPercent, text, time } from '../../base/format';
import { useRunTable } from '../../controllers/useRunTable';
import { useStore } from '../../controllers/useStore';
import {
  type LoadChart,
  loadChart,
  loadSentences,
  loadShapes,
} from '../../draw/realtime/load-curves';
import { session } from '../../model/session/session';
import { Table } from '../../widgets/Table';
import { TextAlternative } from '../../widgets/TextAlternative';
import { ChartSheet } from './ChartSheet';
import { CurvePanel } from './CurvePanel';
import { OpenRun } from './OpenRun';

/** The gain of the second processor at each load; every point is two runs, repeated after each edit. */
export default function LoadCurves() {
  const table = useRunTable();
  const machine = useStore(session, (state) => state.machine);
  const chart = machine ? loadChart(table, machine) : null;
  return (
    <CurvePanel
      title="Gain of the second processor"
      table={table}
      empty="This scenario has no loads."
      textAlternative={chart && <ChartTextAlternative chart={chart} />}
    >
      {chart && (
        <ChartSheet
          label={loadSentences(chart).join(' ')}
          shapes={(width, height) => loadShapes(chart, width, height)}
        />
      )}
    </CurvePanel>
  );
}

function ChartTextAlternative({ chart }: { readonly chart: LoadChart }) {
  const rows = chart.curves.flatMap(({ title, points }) =>
    points.map((point) => ({ title, ...point })),
  );
  return (
    <TextAlternative sentences={loadSentences(chart)}>
      <Table<(typeof rows)[0]>
        caption="Gain at each load"
        columns={[
          {
            id: 'load',
            title: 'work per byte',
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
    </TextAlternative>
  );
}
