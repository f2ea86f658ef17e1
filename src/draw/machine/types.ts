/**
 * What the machine drawing is given: the machine as it was compiled, and how it stands at the playhead.
 * Nothing here knows a particular system; everything follows from the manifests of the parts.
 */
import type { Rect } from '../../base/geometry';
import type { PartType } from '../../engine/manifest';
import type { CoherentMachine } from '../../model/coherence/coherence-roles';
import type { Places } from '../../model/coherence/selected-lines';

export interface DrawnPart {
  readonly title: string;
  readonly type: PartType;
  /** Place on the sheet as the scenario gives it: x, y, width, height. */
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
  /** Place among all ports of the part. */
  readonly slot: number;
}

export interface DrawnMachine {
  readonly parts: readonly DrawnPart[];
  readonly wires: readonly DrawnWire[];
}

/** What the reader looks at, as far as the contents of a drawing show it. */
export interface Look {
  /** What is selected and pointed at, on both sides of the adapter. */
  readonly selected: Places;
  readonly pointed: Places;
  /** Row of the I/O TLB that is fought over most. */
  readonly fought: number | null;
}

export interface PlacedPart {
  readonly index: number;
  readonly part: DrawnPart;
  readonly box: Rect;
  /** Its sign in drawings. */
  readonly actor: string;
  /** A bus is a pair of rails, everything else a box. */
  readonly rail: boolean;
  /** The part in whose box it is drawn: a cache in its processor. */
  readonly host: number | null;
}

export interface RoutedWire {
  readonly ends: readonly [DrawnEnd, DrawnEnd];
  /** Corners as x, y, x, y ... */
  readonly corners: readonly number[];
  /** A path for data is thick; a line for signals (interrupts) is thin. */
  readonly thick: boolean;
}

export interface MachineLayout {
  readonly width: number;
  readonly height: number;
  readonly compact: boolean;
  readonly parts: readonly PlacedPart[];
  readonly wires: readonly RoutedWire[];
  /** Who keeps data coherent in it. */
  readonly roles: CoherentMachine;
  /** Where there is room to say what the letters of lines mean. */
  readonly legend: Rect | null;
}
