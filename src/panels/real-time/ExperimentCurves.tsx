import { useState } from 'react';
import { significant, unitAfter } from '../../base/format';
import { useRunTable } from '../../controllers/useRunTable';
import { useSize } from '../../controllers/useSize';
import { useScale, useStore } from '../../controllers/useStore';
import {
  type ExperimentChart,
  experimentChart,
  experimentSentences,
  experimentShapes,
} from '../../draw/run/experiment-curves';
import { session } from '../../model/session/session';
import { Select } from '../../widgets/Select';
import { ShapeView } from '../../widgets/ShapeView';
import { SvgView } from '../../widgets/SvgView';
import { Table } from '../../widgets/Table';
import { TextAlternative } from '../../widgets/TextAlternative';
import { CurvePanel } from './CurvePanel';
import { OpenRun } from './OpenRun';
import styles from './RealTime.module.css';
import { RunPicker } from './RunPicker';

/** Runs as curves over a number, with a choice of axis and metric. */
export default function ExperimentCurves() {
  const table = useRunTable();
  const shown = useStore(session, (state) => state.machine?.variables ?? {});
  const [chosen, choose] = useState({ over: '', metric: '' });
  const sets = table.scenario?.experiment?.curves ?? [];
  const set = sets.find(({ over }) => over === chosen.over) ?? sets[0];
  const known = table.metrics.some(({ name }) => name === chosen.metric);
  const metric = known ? chosen.metric : (set?.metric ?? '');
  const chart = set ? experimentChart(table, set, metric, shown) : null;
  return (
    <CurvePanel
      title="Runs as curves"
      table={table}
      empty="This scenario has no curves."
      textAlternative={chart && <ChartTextAlternative chart={chart} />}
      choice={
        set && (
          <>
            {sets.length > 1 && (
              <Select
                label="Over"
                options={sets.map(({ over, title }) => ({ value: over, title }))}
                value={set.over}
                onChange={(over) => choose({ over, metric: '' })}
              />
            )}
            <Select
              label="Metric"
              options={table.metrics.map(({ name, title }) => ({ value: name, title }))}
              value={metric}
              onChange={(name) => choose({ over: set.over, metric: name })}
            />
          </>
        )
      }
    >
      {chart && <Sheet chart={chart} />}
    </CurvePanel>
  );
}

function Sheet({ chart }: { readonly chart: ExperimentChart }) {
  const [box, size] = useSize();
  const scale = useScale();
  const [width, height] = [size.width / scale, size.height / scale];
  const drawn = width > 0 ? experimentShapes(chart, width, height) : null;
  return (
    <div className={styles.box} ref={box}>
      {drawn && (
        <SvgView
          width={width}
          height={height}
          scale={scale}
          label={experimentSentences(chart).join(' ')}
          interactive
        >
          <ShapeView shapes={drawn.shapes} />
          <RunPicker chart={chart} runs={drawn.runs} {...{ width, height, scale }} />
        </SvgView>
      )}
    </div>
  );
}

function ChartTextAlternative({ chart }: { readonly chart: ExperimentChart }) {
  const rows = chart.curves.flatMap(({ title, points }) =>
    points.map((point) => ({ title, ...point })),
  );
  const { title, unit } = chart.metric;
  return (
    <TextAlternative sentences={experimentSentences(chart)}>
      <Table<(typeof rows)[0]>
        caption={`${title} over ${chart.title}`}
        columns={[
          {
            id: 'run',
            title: chart.title,
            cell: (row) => <OpenRun variables={row.variables} title={`${row.x}, ${row.title}`} />,
          },
          {
            id: 'value',
            title: unit ? `${title}, ${unitAfter('', unit)}` : title,
            numeric: true,
            cell: ({ y }) => (y === null ? 'not run yet' : significant(y, 4)),
          },
        ]}
        rows={rows}
        rowKey={(row) => `${row.title} ${row.x}`}
      />
    </TextAlternative>
  );
}
