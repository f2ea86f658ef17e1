import { type KeyboardEvent, type PointerEvent, useMemo, useRef } from 'react';
import { lab } from '../../controllers/useLab';
import { useSize } from '../../controllers/useSize';
import { useLatest, useScale } from '../../controllers/useStore';
import { sizeText } from '../../draw/lab/along-curve';
import { chartOf, rangeOf, valueText } from '../../draw/lab/chart';
import type { ChartInput, ChartModel } from '../../draw/lab/chart-types';
import { type ComparisonColumns, chartInput } from '../../draw/lab/input';
import type { LabPlan } from '../../model/lab/plan';
import type { LabState } from '../../model/lab/state';
import { SvgView } from '../../widgets/SvgView';
import { Drawing } from './Drawing';
import styles from './Drawing.module.css';
import { Handles } from './Handles';
import { Residuals } from './Residuals';

/** Below this width the chart has a compact drawing with less text. */
const COMPACT = 560;

interface SheetProps {
  readonly state: LabState;
  readonly plan: LabPlan;
  readonly columns: ComparisonColumns;
  readonly title: string;
}

/**
 * The chart on its sheet: hover shows a size, a press opens a run, dragging a handle solves for a parameter.
 */
export function Sheet({ state, plan, columns, title }: SheetProps) {
  const box = useRef<HTMLDivElement>(null);
  const [measured, size] = useSize(box);
  // A projector shows the same drawing on a smaller sheet, so that everything is larger.
  const scale = useScale();
  const [width, height] = [Math.floor(size.width / scale), Math.floor(size.height / scale)];
  const input = useMemo(() => {
    if (width < 160 || height < 120) return null;
    return chartInput(state, plan, columns, { width, height, compact: width < COMPACT });
  }, [state, plan, columns, width, height]);
  const range = useLatest(input && rangeOf(input), state.drag !== null);
  const chart = useMemo(
    () => input && chartOf(range ? { ...input, range } : input),
    [input, range],
  );
  const placeOf = (event: PointerEvent) => {
    const at = box.current?.getBoundingClientRect();
    return {
      x: (event.clientX - (at?.left ?? 0)) / scale,
      y: (event.clientY - (at?.top ?? 0)) / scale,
    };
  };
  return (
    <div className={styles.box} ref={measured} data-chart>
      {chart && input && (
        <SvgView
          className={styles.root ?? ''}
          width={chart.width}
          height={chart.height}
          fit="contain"
          label={title}
          interactive
          {...pointing(chart, placeOf)}
        >
          <Drawing chart={chart} compact={input.compact} />
          <Residuals chart={chart} />
          <Walker chart={chart} input={input} />
          <Handles
            chart={chart}
            solves={Object.fromEntries(input.crossings.map((one) => [one.id, one.solves]))}
            placeOf={placeOf}
            onDrag={(id, at) => lab.drag(Number(id), at)}
            onDrop={() => void lab.drop()}
          />
        </SvgView>
      )}
    </div>
  );
}

const inPlot = ({ plot }: ChartModel, x: number, y: number): boolean =>
  x >= plot.x - 8 && x <= plot.x + plot.width + 8 && y >= plot.y - 8;

/** A mouse shows the size under it; a finger, where it presses or slides. */
function pointing(chart: ChartModel, placeOf: (event: PointerEvent) => { x: number; y: number }) {
  const look = (event: PointerEvent) => {
    const { x, y } = placeOf(event);
    if (!inPlot(chart, x, y)) return lab.hover(null);
    if (event.pointerType === 'mouse') lab.hover(chart.sizeAt(x));
    else lab.look(chart.sizeAt(x));
  };
  return {
    onPointerMove: look,
    onPointerLeave: () => lab.hover(null),
    onPointerUp: (event: PointerEvent) => {
      const { x, y } = placeOf(event);
      const mark = chart.markAt(x, y);
      if (mark) lab.open({ series: Number(mark.series), size: mark.size }, event.shiftKey);
      else if (inPlot(chart, x, y)) lab.look(chart.sizeAt(x));
    },
  };
}

/** The values at a size, as a sentence. */
function reading(input: ChartInput): string {
  const { size, quantity, unit } = input;
  if (size === null) return '';
  const values = input.series.map(({ title, measured, simulated }) => {
    const at = (list: readonly { size: number; value: number }[]) =>
      list.find((one) => one.size === size)?.value;
    const [real, ours] = [at(measured), at(simulated)];
    const parts = [
      real === undefined ? null : `measured ${valueText(quantity, unit, real)}`,
      ours === undefined ? null : `simulated ${valueText(quantity, unit, ours)}`,
    ];
    return `${title} ${parts.filter(Boolean).join(', ') || 'not run yet'}`;
  });
  return `${sizeText(input.along, size)}: ${values.join('; ')}.`;
}

/** The sizes by keyboard: one tab stop, arrow keys walk, Enter compares the two runs. */
function Walker({ chart, input }: { readonly chart: ChartModel; readonly input: ChartInput }) {
  const { plot } = chart;
  const at = input.sizes.indexOf(input.size ?? -1);

  function onKeyDown(event: KeyboardEvent): void {
    const far = input.sizes.length;
    const steps: Readonly<Record<string, number>> = {
      ArrowRight: 1,
      ArrowUp: 1,
      ArrowLeft: -1,
      ArrowDown: -1,
      Home: -far,
      End: far,
    };
    const by = steps[event.key];
    if (by === undefined) return;
    event.preventDefault();
    lab.walk(by);
  }

  return (
    <g
      className={styles.walker}
      role="slider"
      tabIndex={0}
      aria-label={input.along.title}
      aria-valuemin={0}
      aria-valuemax={input.sizes.length - 1}
      aria-valuenow={Math.max(0, at)}
      aria-valuetext={reading(input)}
      onKeyDown={onKeyDown}
    >
      <rect
        className={styles.focus}
        x={plot.x - 4}
        y={plot.y - 4}
        width={plot.width + 8}
        height={plot.height + 8}
        rx={2}
      />
    </g>
  );
}
