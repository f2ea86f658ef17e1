/**
 * Input of the machine drawing: the compiled machine, and its state at the playhead. Nothing here depends on
 * a particular system; everything follows from the manifests of the parts.
 */
import type { Rect } from '../../base/geometry';
import type { PartType } from '../../engine/manifest';
import type { CoherentMachine } from '../../model/coherence/coherence-roles';
import type { Places } from '../../model/coherence/selected-lines';

export interface DrawnPart {
  readonly title: string;
  readonly type: PartType;
  /** Position on the sheet as the scenario gives it: x, y, width, height. */
  readonly at: readonly [number, number, number, number] | null;
  /** Parameters in manifest order, in base units. */
  readonly params: readonly { readonly value: bigint }[];
  /** Rows of its tables in manifest order, a value for each field. */
  readonly tables: readonly (readonly { readonly values: readonly bigint[] }[])[];
}

export interface DrawnWire {
  readonly ends: readonly [DrawnEnd, DrawnEnd];
}

interface DrawnEnd {
  readonly part: number;
  /** Name of the port in the manifest. */
  readonly port: string;
  /** Index among all slots of the part. */
  readonly slot: number;
}

export interface DrawnMachine {
  readonly parts: readonly DrawnPart[];
  readonly wires: readonly DrawnWire[];
}

/** The selection and conflicts that a drawing highlights. */
export interface Look {
  /** Selected and hovered lines, on both sides of the adapter. */
  readonly selected: Places;
  readonly pointed: Places;
  /** The row of the I/O TLB with the most conflicts. */
  readonly conflictRow: number | null;
  /** Scale of the drawing; 1 unless given. */
  readonly scale?: number;
  /** The copy of a line that changes now: who holds it, and its address. */
  readonly played?: { readonly part: number; readonly address: number } | null;
}

export interface PlacedPart {
  readonly index: number;
  readonly part: DrawnPart;
  readonly box: Rect;
  /** Its sign in drawings. */
  readonly actor: string;
  /** A bus is a pair of rails; everything else is a box. */
  readonly rail: boolean;
  /** The part in whose box it is drawn: a cache in its processor. */
  readonly host: number | null;
}

export interface RoutedWire {
  readonly ends: readonly [DrawnEnd, DrawnEnd];
  /** Corners as x, y, x, y ... */
  readonly corners: readonly number[];
  /** A data path is thick, a signal (interrupt) is thin. */
  readonly thick: boolean;
}

export interface MachineLayout {
  readonly width: number;
  readonly height: number;
  readonly compact: boolean;
  readonly parts: readonly PlacedPart[];
  readonly wires: readonly RoutedWire[];
  /** Its parts that keep data coherent. */
  readonly roles: CoherentMachine;
  /** Free place for the legend of line states; null if there is none. */
  readonly legend: Rect | null;
}
