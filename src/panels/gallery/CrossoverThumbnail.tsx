import { SvgView } from '../../widgets/SvgView';
import styles from './Thumbnails.module.css';
import type { ThumbnailModel } from './thumbnail';

const LEFT = 28;
const RIGHT = 244;
const TOP = 14;

/** Only measured points, without lines. */
export function CrossoverThumbnail({ model }: { readonly model: ThumbnailModel }) {
  const { marks, grid, handles, base } = model;
  return (
    <SvgView width={256} height={156} fit="width">
      {grid.map(({ y, label }) => (
        <g key={label}>
          <line className="hair" x1={LEFT} x2={RIGHT} y1={y} y2={y} />
          <text className="t10 i3 end" x={LEFT - 5} y={y + 3.5}>
            {label}
          </text>
        </g>
      ))}
      <line className="rule" x1={LEFT} x2={RIGHT} y1={base} y2={base} />
      {handles.map(({ x, label, end }) => (
        <g key={label}>
          <line className="playhead" x1={x} x2={x} y1={TOP - 4} y2={base} strokeDasharray="2 2" />
          <rect className="inkf" x={x - 4} y={TOP - 7} width="8" height="8" />
          <text className={`t10 b6 ${end ? 'end' : ''}`} x={end ? x - 7 : x + 7} y={TOP + 1}>
            {label}
          </text>
        </g>
      ))}
      <g className={styles.sweep}>
        {marks.map((mark) => (
          <circle
            key={`${mark.x} ${mark.y} ${mark.series}`}
            className={mark.open ? styles.openMark : styles.mark}
            data-series={mark.series}
            cx={mark.x}
            cy={mark.y}
            r={mark.open ? 2 : 2.4}
          />
        ))}
      </g>
      <text className="t10 i3 end" x={RIGHT} y={base + 13}>
        MB/s by size, as published
      </text>
    </SvgView>
  );
}
