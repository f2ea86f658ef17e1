/** A loaded scenario: names are resolved, wires end at ports, and every value has a position in the file. */
import type { Kind } from '../../base/route';
import type { Basis, PartType } from '../../engine/manifest';
import type { JsonText, Path } from './json-text';
import type { Problem } from './problems';

/** A value in a scenario file. */
export type Value = string | number | boolean;
export type Assignment = Readonly<Record<string, Value>>;

/** The position of a value in a file. */
export class Where {
  constructor(
    readonly json: JsonText,
    readonly path: Path,
    /** The iteration of the enclosing loops, "i 3, burst 0"; '' outside of loops. */
    readonly iteration = '',
  ) {}

  at(...more: Path): Where {
    return new Where(this.json, [...this.path, ...more], this.iteration);
  }

  /** The same position in another iteration, or for another processor. */
  during(iteration: string): Where {
    const all = [this.iteration, iteration].filter((one) => one !== '').join(', ');
    return new Where(this.json, this.path, all);
  }

  /** The raw value at this position. */
  written(): unknown {
    return this.path.reduce(
      (value: unknown, key) => (value as Record<string | number, unknown> | undefined)?.[key],
      this.json.value,
    );
  }

  problem(message: string, onKey = false): Problem {
    const which = this.iteration && ` (${this.iteration})`;
    return this.json.problem(
      this.path,
      which ? `${message.replace(/\.$/, '')}${which}.` : message,
      onKey,
    );
  }
}

export interface ParamSetting {
  readonly value: Value;
  readonly basis: Basis;
  readonly source: string;
  /** Published figures from which this value was chosen or derived. */
  readonly figures: readonly string[];
  readonly where: Where;
}

/** One row of a table: raw fields with unresolved $variables. */
export interface TableRow {
  readonly fields: Readonly<Record<string, Value>>;
  readonly where: Where;
}

export interface ScenarioPart {
  readonly name: string;
  readonly title: string;
  readonly type: PartType;
  /** Position in the drawing: x, y, width, height. */
  readonly at: readonly [number, number, number, number] | null;
  readonly params: ReadonlyMap<string, ParamSetting>;
  readonly tables: ReadonlyMap<string, readonly TableRow[]>;
  readonly where: Where;
}

/** One end of a wire: `index` counts the places of the port, `slot` those of all ports of the part. */
export interface WireEnd {
  readonly part: number;
  readonly port: string;
  readonly index: number;
  readonly slot: number;
}

export interface Wire {
  readonly ends: readonly [WireEnd, WireEnd];
  readonly where: Where;
}

export interface Machine {
  readonly parts: readonly ScenarioPart[];
  readonly wires: readonly Wire[];
}

export interface Variable {
  readonly name: string;
  readonly value: Value;
  readonly title: string;
  readonly unit: string;
}

/** The program of one thread: rows, or a name, which may be a variable. */
export type ThreadWork =
  | { readonly program: Value; readonly where: Where }
  | { readonly rows: readonly TableRow[]; readonly where: Where };

/** A number, a "$variable", a "part.counter", or a sum of products of these. */
export type Factor = Term | { readonly kind: 'sum'; readonly terms: readonly (readonly Term[])[] };

export type Term =
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'counter'; readonly part: number; readonly counter: number };

/** A ratio of products of counters, from one finished run. */
export interface Metric {
  readonly name: string;
  readonly title: string;
  readonly unit: string;
  readonly product: readonly Factor[];
  readonly over: readonly Factor[];
}

/** All terms of a metric. */
export const termsOf = ({ product, over }: Metric): readonly Term[] =>
  [...product, ...over].flatMap((factor) =>
    factor.kind === 'sum' ? factor.terms.flat() : [factor],
  );

export interface Axis {
  readonly name: string;
  readonly title: string;
  readonly unit: string;
  readonly values: readonly Value[];
  readonly titles: readonly string[];
  /** Variables that follow the axis: one value for each axis value. */
  readonly also: Readonly<Record<string, readonly Value[]>>;
}

export interface Series {
  readonly title: string;
  readonly at: Assignment;
  readonly mechanism: string;
  readonly direction: 'write' | 'read' | null;
  /** Published values for this curve: "gt.pio_write.{size}". */
  readonly figures: string | null;
}

export interface Crossing {
  readonly axis: string;
  readonly more: Assignment;
  readonly than: Assignment;
  readonly metric: string;
}

export interface NamedCrossing extends Crossing {
  readonly title: string;
  /** The parameter that is solved for when the crossing is dragged. */
  readonly param: string | null;
}

export type Change =
  | Value
  | { readonly times: number }
  | { readonly plus: Value }
  | { readonly minus: Value };

export interface WhatIf {
  readonly title: string;
  readonly set: Readonly<Record<string, Change>>;
}

export interface Experiment {
  readonly axes: readonly Axis[];
  /** The horizontal axis. */
  readonly x: Axis;
  readonly metrics: readonly string[];
  readonly series: readonly Series[];
  readonly crossings: readonly NamedCrossing[];
  readonly whatif: readonly WhatIf[];
  readonly curves: readonly CurveSet[];
}

/** Runs of the experiment drawn as lines over a numeric variable. */
export interface CurveSet {
  readonly title: string;
  readonly over: string;
  /** The metric that is shown first. */
  readonly metric: string;
  readonly lines: readonly CurveLine[];
}

export interface CurveLine {
  readonly title: string;
  /** Axis values of each run, from left to right. */
  readonly at: readonly Assignment[];
  /** Ids of the published figures for the set's metric, for each run. */
  readonly figures: readonly (string | null)[];
}

/**
 * How a row may be used as evidence. Constants were chosen from calibrated rows, but not from held-out rows. An
 * outside row comes from another source than the system's paper and was found after every constant was set. A
 * structural row restates an input, another row or a range already used. A context row is only shown.
 */
export type Role = 'calibrated' | 'held-out' | 'outside' | 'structural' | 'context';

/**
 * When a tolerance was chosen: before or after the result was known. `exact` allows no deviation, `published` is
 * the range given by the source, and `unsaid` means that the file does not state it.
 */
export type ToleranceSet = 'before' | 'after' | 'published' | 'exact' | 'unsaid';

/** The quantity compared with a published figure. */
export type Quantity =
  | { readonly kind: 'value'; readonly at: Assignment; readonly metric: string }
  | {
      readonly kind: 'ratio';
      readonly of: Assignment;
      readonly to: Assignment;
      readonly metric: string;
    }
  | {
      /** How much more one run has than another, for each of something that it has. */
      readonly kind: 'difference';
      readonly of: Assignment;
      readonly to: Assignment;
      readonly metric: string;
      /** Another metric of the first run that the difference is divided by; null for none. */
      readonly per: string | null;
    }
  | { readonly kind: 'crossing'; readonly crossing: Crossing; readonly report: 'grid' | 'crossing' }
  | {
      readonly kind: 'statistic';
      readonly group: string;
      readonly statistic: 'mean-abs-error' | 'worst-abs-error';
      /** Whether calibrated rows are included. */
      readonly over: 'all' | 'held-out';
    };

/** The labels of a row. */
export interface Labels {
  readonly role: Role;
  /** In percent; null for a context row, which cannot fail. */
  readonly tolerance: number | null;
  readonly toleranceSet: ToleranceSet;
  /** What a structural row restates; '' for others. */
  readonly because: string;
  /** Why a row is known to miss its tolerance; '' for others. */
  readonly missed: string;
  /** Number of seeds whose runs are averaged; 1 is the scenario's own seed. */
  readonly seeds: number;
}

export interface Expectation extends Labels {
  readonly title: string;
  /** Id of a published figure; null for an unpublished value. */
  readonly figure: string | null;
  readonly quantity: Quantity;
  readonly where: Where;
}

/** What one run must show, within the author's own bounds. */
export interface Requirement {
  readonly title: string;
  /** A metric, a counter or a time between two events. */
  readonly metric: string;
  readonly at: Assignment;
  /** The value that was written; null if only bounds were. */
  readonly value: number | null;
  readonly min: number | null;
  readonly max: number | null;
  readonly where: Where;
}

/** Columns of which more than a third chose constants, with the reason. */
interface BeyondThird {
  readonly columns: readonly string[];
  readonly because: string;
}

export interface Unexplained {
  readonly text: string;
  readonly figures: readonly string[];
}

export interface ParameterGroup {
  readonly title: string;
  readonly note: string;
  readonly rows: readonly { readonly param: string; readonly title: string }[];
}

export interface View {
  readonly kind: Kind;
  readonly parameters: readonly ParameterGroup[];
  /** Tracks to show, as "part.track"; all of them if empty. */
  readonly lanes: readonly string[];
  /** Panels that its lesson needs beside lesson, machine and lanes; null for all. */
  readonly panels: readonly string[] | null;
  /** Initial position of the playhead in picoseconds. */
  readonly fromPs: number;
}

export interface Scenario {
  readonly id: string;
  readonly text: string;
  readonly title: string;
  readonly summary: string;
  readonly system: string;
  readonly machine: Machine;
  readonly variables: ReadonlyMap<string, Variable>;
  readonly programs: ReadonlyMap<string, readonly TableRow[]>;
  /** Programs of the threads, by part index. */
  readonly workload: ReadonlyMap<number, readonly ThreadWork[]>;
  readonly until: { readonly value: Value; readonly where: Where };
  readonly seed: { readonly value: Value; readonly where: Where };
  readonly metrics: ReadonlyMap<string, Metric>;
  readonly experiment: Experiment | null;
  readonly expect: readonly Expectation[];
  readonly requirements: readonly Requirement[];
  readonly beyondThird: readonly BeyondThird[];
  readonly unexplained: readonly Unexplained[];
  readonly view: View;
  /** Name of the lesson file next to the scenario. */
  readonly lesson: string | null;
}

/** Programs that replace the scenario's own, row by row. */
export type Programs = Readonly<Record<string, readonly Assignment[]>>;

/** Parameter values that differ from the scenario's: "driver.setup" -> "2.4 us". */
export type Edits = Readonly<Record<string, Value>>;
