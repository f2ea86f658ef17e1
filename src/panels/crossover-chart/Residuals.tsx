import { memo } from 'react';
import type { ChartModel, Residual } from '../../draw/lab/chart-types';
import { Words } from './Drawing';
import styles from './Drawing.module.css';
import { isSameData } from './same-data';

/** The strip under the chart: simulated against measured, the same scale in every row. */
export function Residuals({ chart }: { readonly chart: ChartModel }) {
  const { residuals, plot } = chart;
  if (!residuals) return null;
  return (
    <g>
      <Words label={residuals.heading} className="t11 i2 halo" />
      <Words label={residuals.note} className="t11 i3 halo" />
      {residuals.rows.map((row) => (
        <Row key={row.series} row={row} plot={plot} />
      ))}
    </g>
  );
}

type RowProps = Pick<ChartModel, 'plot'> & {
  readonly row: NonNullable<ChartModel['residuals']>['rows'][number];
};

const Row = memo(function Row({ row, plot }: RowProps) {
  return (
    <g data-hue={row.hue}>
      <line className="rule" x1={plot.x} x2={plot.x + plot.width} y1={row.y} y2={row.y} />
      <Words label={row.title} className="t10 i2" />
      <Words label={row.worst} className="t10 i2" />
      {row.bars.map((bar) => (
        <Bar key={bar.size} bar={bar} />
      ))}
      {row.linearFit.map(({ x, y, width }) => (
        <line key={x} className={styles.linearFitTick} x1={x} x2={x + width} y1={y} y2={y} />
      ))}
    </g>
  );
}, isSameData);

/** A bar clipped at the end of the scale has a break. */
function Bar({ bar }: { readonly bar: Residual }) {
  const { x, y, width, height } = bar;
  const end = bar.percent > 0 ? y + 2.5 : y + height - 2.5;
  return (
    <>
      <rect
        className={styles.residual}
        data-calibrated={bar.calibrated || undefined}
        {...{ x, y, width, height }}
      />
      {bar.clipped && (
        <line className={styles.clipped} x1={x - 1} x2={x + width + 1} y1={end} y2={end} />
      )}
    </>
  );
}
