import { shell } from '../../base/shell-state';
import { useSize } from '../../controllers/useSize';
import { useStore } from '../../controllers/useStore';
import { COST_NAMES, type CostInput, type CostRow, costModel } from '../../draw/lab/bars';
import type { CostKind } from '../../model/trace/time-breakdown';
import { SvgView } from '../../widgets/SvgView';
import styles from './CostBars.module.css';

interface CostBarsProps {
  readonly rows: readonly CostInput[];
  readonly pairs: readonly number[];
  /** "of 512 B", "at 4 stores" */
  readonly at: string;
}

/** A bar for each method: its costs in order, and below when the processor is busy. */
export function CostBars({ rows, pairs, at }: CostBarsProps) {
  const [box, { width }] = useSize();
  const lecture = useStore(shell, (state) => state.lecture);
  const scale = lecture ? 1.5 : 1;
  const model = costModel(rows, Math.max(200, Math.floor(width / scale)), pairs);
  const kinds = (Object.keys(COST_NAMES) as CostKind[]).filter((kind) =>
    rows.some((row) => row.segments.some((segment) => segment.cost === kind)),
  );
  return (
    <div className={styles.bars}>
      <div ref={box}>
        {width > 0 && (
          <SvgView
            width={model.width}
            height={model.height}
            fit="width"
            label={`Time per transfer ${at}, by method`}
          >
            {model.ticks.map((tick) => (
              <g key={tick.value}>
                <line
                  className="hair"
                  x1={tick.at}
                  x2={tick.at}
                  y1={model.axis.from}
                  y2={model.axis.y - 12}
                />
                <text
                  x={tick.at}
                  y={model.axis.y}
                  className={`t10 i3 ${tick.value === 0 ? '' : 'mid'}`}
                >
                  {tick.label}
                </text>
              </g>
            ))}
            {model.rows.map((row) => (
              <Bar key={row.id} row={row} />
            ))}
          </SvgView>
        )}
      </div>
      <ul className={styles.legend}>
        {kinds.map((kind) => (
          <li key={kind}>
            <Swatch kind={kind} /> {COST_NAMES[kind]}
          </li>
        ))}
        {kinds.length > 0 && (
          <li>
            <svg className={styles.swatch} viewBox="0 0 14 8" aria-hidden="true">
              <rect y="3" width="14" height="2.5" className="inkf" />
            </svg>{' '}
            CPU busy
          </li>
        )}
      </ul>
    </div>
  );
}

function Swatch({ kind }: { readonly kind: CostKind }) {
  return (
    <svg className={styles.swatch} viewBox="0 0 14 8" aria-hidden="true">
      <rect className={styles[kind]} width="14" height="8" />
    </svg>
  );
}

function Bar({ row }: { readonly row: CostRow }) {
  const { y, height, total } = row;
  return (
    <g data-hue={row.hue}>
      <text x={row.title.x} y={row.title.y} className={`t12 b6 ${styles.name}`}>
        {row.title.text}
      </text>
      <rect
        className={row.sealed ? styles.sealed : styles.whole}
        y={y}
        height={height}
        {...row.whole}
      />
      {row.segments.map((segment) => (
        <rect
          key={`${segment.cost} ${segment.x}`}
          className={styles[segment.cost]}
          x={segment.x}
          y={y}
          width={segment.width}
          height={height}
        />
      ))}
      {row.busy.map((busy) => (
        <rect
          key={busy.x}
          className="inkf"
          x={busy.x}
          y={y + height + 2}
          width={busy.width}
          height={2.5}
        />
      ))}
      <text
        x={total.x}
        y={total.y}
        className={`t12 ${row.sealed ? styles.guess : 'b6'} ${total.inside ? `on ${styles.over}` : ''}`}
        textAnchor={total.x > row.whole.width ? 'start' : 'end'}
      >
        {total.text}
      </text>
    </g>
  );
}
