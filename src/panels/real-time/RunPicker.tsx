import type { KeyboardEvent, PointerEvent } from 'react';
import {
  type ExperimentChart,
  type PlacedPoint,
  runSentence,
} from '../../draw/run/experiment-curves';
import { setVariables } from '../../model/session/editing';
import { session } from '../../model/session/session';
import styles from './RunPicker.module.css';

interface RunPickerProps {
  readonly chart: ExperimentChart;
  /** The runs on the sheet, curve after curve. */
  readonly runs: readonly PlacedPoint[];
  readonly width: number;
  readonly height: number;
  readonly scale: number;
}

/** Farthest distance of a press from a run, in units of the drawing. */
const REACH = 28;

function open({ point }: PlacedPoint): void {
  setVariables({ ...session.getState().variables, ...point.variables });
}

/** Opens the run behind a dot: a press takes the nearest, arrow keys move along the curves. */
export function RunPicker({ chart, runs, width, height, scale }: RunPickerProps) {
  if (runs.length === 0) return null;
  const at = runs.findIndex(({ point }) => point.open);
  const shown = runs[at];

  function onPointerDown(event: PointerEvent<SVGRectElement>): void {
    const box = event.currentTarget.ownerSVGElement?.getBoundingClientRect();
    if (event.button !== 0 || !box) return;
    const [x, y] = [(event.clientX - box.left) / scale, (event.clientY - box.top) / scale];
    const away = (run: PlacedPoint) => Math.hypot(run.at.x - x, run.at.y - y);
    const nearest = runs.reduce((best, run) => (away(run) < away(best) ? run : best));
    if (away(nearest) <= REACH) open(nearest);
  }

  function onKeyDown(event: KeyboardEvent): void {
    const by = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
    const next = by && runs[Math.min(runs.length - 1, Math.max(0, at + by))];
    if (!next) return;
    event.preventDefault();
    open(next);
  }

  return (
    <rect
      className={styles.picker}
      role="slider"
      tabIndex={0}
      aria-label="Open run"
      aria-valuemin={1}
      aria-valuemax={runs.length}
      aria-valuenow={Math.max(1, at + 1)}
      aria-valuetext={
        shown ? runSentence(chart, shown.curve, shown.point) : 'a run that is not drawn here'
      }
      x={1.5}
      y={1.5}
      width={width - 3}
      height={height - 3}
      onPointerDown={onPointerDown}
      onKeyDown={onKeyDown}
    >
      <title>Press a dot to open its run</title>
    </rect>
  );
}
