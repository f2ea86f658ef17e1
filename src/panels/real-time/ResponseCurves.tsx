import { significant, unitAfter } from '../../base/format';
import { useRunTable } from '../../controllers/useRunTable';
import {
  type ResponseChart,
  responseChart,
  responseSentences,
  responseShapes,
} from '../../draw/realtime/response-curves';
import { Table } from '../../widgets/Table';
import { TextAlternative } from '../../widgets/TextAlternative';
import { ChartSheet } from './ChartSheet';
import { CurvePanel } from './CurvePanel';
import { OpenRun } from './OpenRun';

/**
 * Response time over throughput for a growing number of clients; every point is a run, repeated after each
 * edit.
 */
export default function ResponseCurves() {
  const table = useRunTable();
  const chart = responseChart(table);
  return (
    <CurvePanel
      title="Response and throughput"
      table={table}
      empty="This scenario has no numbers of clients."
      textAlternative={chart && <ChartTextAlternative chart={chart} />}
    >
      {chart && (
        <ChartSheet
          label={responseSentences(chart).join(' ')}
          shapes={(width, height) => responseShapes(chart, width, height)}
        />
      )}
    </CurvePanel>
  );
}

function ChartTextAlternative({ chart }: { readonly chart: ResponseChart }) {
  const rows = chart.curves.flatMap(({ title, points }) =>
    points.map((point) => ({ title, ...point })),
  );
  const shown = (value: number | null, digits: number) =>
    value === null ? 'not run yet' : significant(value, digits);
  return (
    <TextAlternative sentences={responseSentences(chart)}>
      <Table<(typeof rows)[0]>
        caption="Response and throughput with each number of clients"
        columns={[
          {
            id: 'run',
            title: 'clients',
            cell: ({ title, clients, variables }) => (
              <OpenRun variables={variables} title={`${clients}, ${title}`} />
            ),
          },
          {
            id: 'throughput',
            title: chart.throughput.title,
            numeric: true,
            cell: ({ throughput }) => shown(throughput, 4),
          },
          {
            id: 'response',
            title: `${chart.response.title}, ${unitAfter('', chart.response.unit)}`,
            numeric: true,
            cell: ({ response }) => shown(response, 3),
          },
        ]}
        rows={rows}
        rowKey={({ title, clients }) => `${title} ${clients}`}
      />
    </TextAlternative>
  );
}
