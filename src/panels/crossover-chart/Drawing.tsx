import { memo } from 'react';
import type { ChartModel, Curve, Label, Mark, SeriesLabel } from '../../draw/lab/chart-types';
import styles from './Drawing.module.css';
import { isSameData } from './same-data';

/** All text of the drawing. */
export function Words(props: { readonly label: Label; readonly className: string }) {
  const { x, y, text, anchor } = props.label;
  return (
    <text x={x} y={y} textAnchor={anchor} className={props.className}>
      {text}
    </text>
  );
}

/** Axes, strips, curves and marks: everything without pointer events of its own. */
export function Drawing({ chart, compact }: { readonly chart: ChartModel; compact: boolean }) {
  return (
    <>
      <Strips strips={chart.strips} />
      <Frame {...frameOf(chart)} compact={compact} />
      <Curves chart={chart} />
      {chart.hover && (
        <line
          className={styles.hover}
          x1={chart.hover.x}
          x2={chart.hover.x}
          y1={chart.hover.from}
          y2={chart.hover.to}
        />
      )}
      {chart.marks.map((mark) => (
        <MarkShape key={`${mark.kind}-${mark.series}-${mark.size}`} mark={mark} />
      ))}
      {chart.hover?.rings.map((ring) => (
        <circle
          key={ring.series}
          className={styles.ring}
          data-hue={ring.hue}
          cx={ring.x}
          cy={ring.y}
          r={6.5}
        />
      ))}
      {chart.labels.map((label) => (
        <SeriesName key={label.series} label={label} />
      ))}
      <Legend rows={chart.legend} />
    </>
  );
}

type Frame = Pick<ChartModel, 'plot' | 'valueTicks' | 'sizeTicks' | 'valueTitle' | 'sizeTitle'>;

const frameOf = ({ plot, valueTicks, sizeTicks, valueTitle, sizeTitle }: ChartModel): Frame => ({
  ...{ plot, valueTicks, sizeTicks, valueTitle, sizeTitle },
});

/** Most of a chart stays when a slider moves: parts with the same data are not rendered again. */
const Frame = memo(function Frame(props: Frame & { readonly compact: boolean }) {
  const { plot, valueTicks, sizeTicks, valueTitle, sizeTitle, compact } = props;
  const [left, right] = [plot.x, plot.x + plot.width];
  const [top, bottom] = [plot.y, plot.y + plot.height];
  return (
    <g>
      {valueTicks.map(({ at, label, major, value }) => (
        <g key={value}>
          <line
            className={major ? 'hair' : 'rule'}
            x1={left}
            x2={major ? right : left + 4}
            y1={at}
            y2={at}
          />
          <text x={left - 6} y={at + 4} className={`end ${major ? 't11 i2' : 't10 i3'}`}>
            {label}
          </text>
        </g>
      ))}
      {sizeTicks.map(({ at, label, major, value }, index) => (
        <g key={value}>
          {index > 0 && index % 4 === 2 && (
            <line className="hair" x1={at} x2={at} y1={top} y2={bottom} />
          )}
          <line className="rule" x1={at} x2={at} y1={bottom} y2={bottom + (major ? 5 : 3)} />
          <text x={at} y={bottom + 18} className="t10 mid i2">
            {label}
          </text>
        </g>
      ))}
      <line className="thin" x1={left} x2={right} y1={bottom} y2={bottom} />
      <line className="rule" x1={left} x2={left} y1={top} y2={bottom} />
      <Words label={valueTitle} className="t11 i2 b6" />
      {!compact &&
        sizeTitle.map((line) => <Words key={line.y} label={line} className="t11 i2 b6" />)}
    </g>
  );
}, isSameData);

const Strips = memo(function Strips({ strips }: Pick<ChartModel, 'strips'>) {
  return strips.map((strip) => (
    <g key={strip.id}>
      <Words label={strip.title} className="t11 i2" />
      {strip.spans.map((span) => (
        <g key={span.text}>
          <rect
            className={styles.strip}
            data-hue={span.hue}
            x={span.x}
            y={strip.y}
            width={span.width}
            height={strip.height}
          />
          <text x={span.x + span.width / 2} y={strip.y + 11.5} className="t11 mid b5">
            {span.label}
          </text>
        </g>
      ))}
    </g>
  ));
}, isSameData);

/** During a drag the scale is fixed; values beyond it end at the edge of the plot. */
function Curves({ chart }: { readonly chart: ChartModel }) {
  const { x, y, width, height } = chart.plot;
  return (
    <svg
      x={x}
      y={y}
      width={width}
      height={height}
      viewBox={`${x} ${y} ${width} ${height}`}
      aria-hidden="true"
    >
      {chart.bands.map(({ series, hue, path }) => (
        <path key={series} className={styles.band} data-hue={hue} d={path} />
      ))}
      {chart.curves.map((curve) => (
        <CurvePath key={curve.id} curve={curve} />
      ))}
    </svg>
  );
}

const CurvePath = memo(function CurvePath({ curve }: { readonly curve: Curve }) {
  return (
    <path
      className={styles[curve.kind]}
      data-hue={curve.hue}
      data-dash={curve.kind === 'simulated' || curve.kind === 'stale' ? curve.dash : undefined}
      data-curve={curve.id}
      d={curve.path}
    />
  );
}, isSameData);

const RADIUS = { measured: 3.4, own: 3.4, simulated: 1.7 } as const;
const BETWEEN = 1.1;

const MarkShape = memo(function MarkShape({ mark }: { readonly mark: Mark }) {
  const { kind, x, y, hue, open } = mark;
  const common = {
    'data-hue': hue,
    'data-open': open || undefined,
    'data-kind': kind,
    'data-stale': mark.stale || undefined,
  };
  if (kind === 'own') {
    const half = 3.6;
    const path = `M${x} ${y - half}L${x + half} ${y}L${x} ${y + half}L${x - half} ${y}z`;
    return <path className={styles.mark} {...common} d={path} />;
  }
  const radius = mark.between && kind === 'simulated' ? BETWEEN : RADIUS[kind];
  return <circle className={styles.mark} {...common} cx={x} cy={y} r={radius} />;
}, isSameData);

const SeriesName = memo(function SeriesName({ label }: { readonly label: SeriesLabel }) {
  return (
    <g data-hue={label.hue}>
      <Words label={label} className={`t12 b6 halo ${styles.name}`} />
      {label.note && <Words label={label.note} className="t10 i3" />}
    </g>
  );
}, isSameData);

const Legend = memo(function Legend({ rows }: { readonly rows: ChartModel['legend'] }) {
  return rows.map((row) => (
    <g key={row.kind} data-hue="6">
      {row.kind === 'measured' || row.kind === 'own' ? (
        <MarkShape
          mark={{
            series: '',
            size: 0,
            value: 0,
            hue: 6,
            open: false,
            kind: row.kind,
            between: false,
            stale: false,
            x: row.x + 10,
            y: row.y,
          }}
        />
      ) : row.kind === 'fan' ? (
        <rect className={styles.fanSign} x={row.x} y={row.y - 5} width={20} height={10} />
      ) : (
        <line className={styles[row.kind]} x1={row.x} x2={row.x + 20} y1={row.y} y2={row.y} />
      )}
      <text x={row.x + 28} y={row.y + 4} className="t11 i2 halo">
        {row.text}
      </text>
    </g>
  ));
}, isSameData);
