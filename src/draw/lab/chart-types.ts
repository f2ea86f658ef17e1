/**
 * Input and output of the size chart, both plain data. The panel turns the output into SVG; hues are numbers
 * here (`--c-1` ...), not colours.
 */
import type { Tick } from '../axis';
import type { Along } from './along-curve';
import type { Dash } from './series-looks';

/** What the chart shows: a rate, a transfer time or processor time in picoseconds, or any other number. */
export type Quantity = 'throughput' | 'time' | 'cpu' | 'amount';

export interface Reading {
  readonly size: number;
  readonly value: number;
}

/** A value from a run; `stale`: of older parameters, because it has not been run again yet. */
export interface Simulated extends Reading {
  /** Readings of different parameters are not joined. */
  readonly parameters: string;
  readonly stale: boolean;
}

interface Measured extends Reading {
  /** The row was used to calibrate a constant of the machine. */
  readonly calibrated: boolean;
}

/** One method, distinguished by hue and dashes; its marks are open for reads. */
export interface ChartSeries {
  readonly id: string;
  readonly title: string;
  readonly hue: number;
  readonly dash: Dash;
  readonly open: boolean;
  readonly measured: readonly Measured[];
  /** One reading per finished run, by size. */
  readonly simulated: readonly Simulated[];
  /** The same before the last edit; empty if nothing changed. */
  readonly before: readonly Reading[];
  /** The curves at both ends of the slider under the pointer; empty if it does not move this one. */
  readonly fan: readonly (readonly Reading[])[];
  /** The linear fit, if it is shown. */
  readonly linearFit: readonly Reading[];
  /** The user's own table, if one is loaded. */
  readonly own: readonly Reading[];
}

/**
 * Where one method overtakes another. `grid`: first size of the table; `exact`: where the curves intersect.
 */
interface CrossingAt {
  readonly grid: number | null;
  readonly exact: number | null;
}

export interface ChartCrossing {
  readonly id: string;
  /** "write" */
  readonly title: string;
  /** The faster method from the crossing on, and the one before it. */
  readonly more: { readonly id: string; readonly title: string; readonly hue: number };
  readonly than: { readonly id: string; readonly title: string; readonly hue: number };
  readonly now: CrossingAt;
  readonly before: CrossingAt | null;
  /** Parameter that dragging the handle solves for; null: the handle cannot be dragged. */
  readonly solves: string | null;
  /** Its value while the handle is dragged: "Context switch 0.68 µs". */
  readonly solving: string | null;
}

export interface ChartInput {
  readonly width: number;
  readonly height: number;
  /** Small screens: fewer ticks and labels, no residual strip. */
  readonly compact: boolean;
  readonly quantity: Quantity;
  /** Unit of values that are not times. */
  readonly unit: string;
  /** Variable on the horizontal axis. */
  readonly along: Along;
  readonly sizes: readonly number[];
  readonly series: readonly ChartSeries[];
  readonly crossings: readonly ChartCrossing[];
  /** The size under the pointer or cursor. */
  readonly size: number | null;
  /** Source of the measured marks, for the legend. */
  readonly source: string;
  /** The slider under the pointer and its range: "Context switch 0 to 20 µs". */
  readonly fan: string;
  /** Fixed range of the value axis, if it does not follow the values. */
  readonly range?: readonly [number, number];
}

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Label {
  readonly x: number;
  readonly y: number;
  readonly text: string;
  readonly anchor: 'start' | 'middle' | 'end';
}

export interface Curve {
  readonly id: string;
  readonly series: string;
  readonly kind: 'simulated' | 'stale' | 'before' | 'linearFit' | 'fan';
  readonly hue: number;
  readonly dash: Dash;
  readonly path: string;
}

/** Area between the two curves of a fan. */
export interface Band {
  readonly series: string;
  readonly hue: number;
  readonly path: string;
}

export interface Mark {
  readonly series: string;
  readonly size: number;
  readonly value: number;
  readonly x: number;
  readonly y: number;
  readonly hue: number;
  readonly open: boolean;
  readonly kind: 'measured' | 'simulated' | 'own';
  /** A run between the sizes of the table. */
  readonly between: boolean;
  readonly stale: boolean;
}

export interface Strip {
  readonly id: string;
  readonly title: Label;
  readonly y: number;
  readonly height: number;
  readonly spans: readonly {
    readonly x: number;
    readonly width: number;
    readonly hue: number;
    readonly text: string;
    /** Empty where the text does not fit. */
    readonly label: string;
  }[];
}

export interface Marker {
  readonly id: string;
  /** "write" */
  readonly title: string;
  readonly x: number;
  /** Where the curves cross, on the value axis; null if they do not. */
  readonly ring: number | null;
  readonly grip: Box;
  readonly lines: readonly Label[];
  readonly text: string;
  readonly draggable: boolean;
  /** The crossing before the last edit, if it moved. */
  readonly before: { readonly x: number; readonly y: number; readonly label: Label } | null;
}

export interface SeriesLabel extends Label {
  readonly series: string;
  readonly hue: number;
  readonly note: Label | null;
}

export interface LegendRow {
  readonly y: number;
  readonly x: number;
  readonly kind: 'measured' | 'simulated' | 'stale' | 'before' | 'linearFit' | 'own' | 'fan';
  readonly text: string;
}

export interface Residual extends Box {
  readonly size: number;
  readonly percent: number;
  readonly calibrated: boolean;
  /** The value is beyond the scale. */
  readonly clipped: boolean;
}

export interface ResidualRow {
  readonly series: string;
  readonly hue: number;
  readonly y: number;
  readonly title: Label;
  readonly worst: Label;
  readonly bars: readonly Residual[];
  /** Position of the linear fit, if it is drawn. */
  readonly linearFit: readonly { readonly x: number; readonly y: number; readonly width: number }[];
}

export interface ResidualStrip {
  readonly heading: Label;
  readonly note: Label;
  readonly rows: readonly ResidualRow[];
}

export interface ChartModel {
  readonly width: number;
  readonly height: number;
  readonly plot: Box;
  readonly valueTicks: readonly Tick[];
  readonly sizeTicks: readonly Tick[];
  readonly valueTitle: Label;
  readonly sizeTitle: readonly Label[];
  readonly strips: readonly Strip[];
  readonly bands: readonly Band[];
  readonly curves: readonly Curve[];
  readonly marks: readonly Mark[];
  readonly markers: readonly Marker[];
  readonly labels: readonly SeriesLabel[];
  readonly legend: readonly LegendRow[];
  readonly residuals: ResidualStrip | null;
  /** The dotted line at the size under the pointer, with a ring at each value. */
  readonly hover: {
    readonly x: number;
    readonly from: number;
    readonly to: number;
    readonly rings: readonly Mark[];
  } | null;
  /** The size in the table nearest to a position on the sheet. */
  sizeAt(x: number): number;
  /** The size at a position, also between those of the table. */
  exactSizeAt(x: number): number;
  /** The nearest run, if it is within reach of the pointer. */
  markAt(x: number, y: number): Mark | null;
}
