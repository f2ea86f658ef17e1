/**
 * Types of the generated part manifests, as used by the page, the headless program and the reference. Numbers
 * are decimal strings in base units (ps, Hz, B, B/s).
 */
import type {
  CounterName,
  EventField,
  EventWord,
  MemberName,
  ParamName,
  PartName,
  TrackName,
  ViewField,
  ViewName,
} from './gen/names';

export type Basis = 'measured' | 'documented' | 'derived' | 'assumed' | 'calibrated' | 'scenario';

export interface EnumMember {
  readonly name: MemberName;
  readonly title: string;
  /** Short form of the title. */
  readonly short?: string;
  /** In the sentences of events, with its article: "a PIO write". */
  readonly says?: string;
  /** Messages ("port.message") that this operation sends. */
  readonly sends?: readonly string[];
  /** Part types that execute this operation, if not the processor itself. */
  readonly executedBy?: readonly string[];
  /** Of an operation: the fields that its rows may have. */
  readonly fields?: readonly string[];
  /**
   * Drawing style of the state in a lane: solid, hatch (waiting), light, outline, dashed, line (in the
   * background).
   */
  readonly style: string;
  readonly doc: string;
}

/** A constraint on a value besides its range. Terms are whole numbers in base units, or parameters of the part. */
export interface ParamRule {
  /** The value is a multiple of the product of these. */
  readonly of: readonly string[];
  /** The quotient must be a power of two. */
  readonly powerOfTwo: boolean;
  /** The value is one less than such a number. */
  readonly mask: boolean;
  /** The value is at most the sum of these. */
  readonly atMost: readonly string[];
}

export interface ParamSpec {
  readonly name: ParamName;
  readonly title: string;
  /** A quantity (time, clock, bytes, rate, count, address, flag) or the name of an enum of this part. */
  readonly type: string;
  readonly default: string;
  readonly min: string;
  readonly max: string;
  readonly rule?: ParamRule;
  /** A relation to other parameters of the part that only the engine checks, as a sentence. */
  readonly constraint?: string;
  readonly change: string;
  readonly doc: string;
  readonly basis: string;
  readonly source: string;
  /** Published figures from which the default was chosen or derived. */
  readonly figures?: readonly string[];
}

export interface CounterSpec {
  readonly name: CounterName;
  readonly title: string;
  /** "ps", "B", or the noun of what is counted. */
  readonly unit: string;
  readonly doc: string;
}

/** A constraint on a field in the rows of some operations, or in all rows if none are named. */
export interface RowRule {
  readonly ops: readonly string[];
  readonly field: string;
  /** The field must be given explicitly: a default would be an arbitrary address. */
  readonly given?: boolean;
  readonly min: string;
  readonly max: string;
  readonly rule?: ParamRule;
  /** Reason for the constraint. */
  readonly doc: string;
}

export interface TableSpec {
  readonly name: string;
  readonly doc: string;
  readonly rules: readonly RowRule[];
  /** Of programs: maximum nesting depth of loops, and maximum number of threads. */
  readonly loops?: number;
  readonly threads?: number;
  readonly fields: readonly {
    readonly name: string;
    readonly type: string;
    readonly doc: string;
    readonly default: string;
  }[];
}

export interface ViewSpec {
  readonly name: ViewName;
  readonly doc: string;
  readonly fields: readonly FieldSpec[];
}

interface FieldSpec {
  readonly name: ViewField;
  readonly bits: number;
  readonly as: string;
  /** Bit fields of the value, if it holds several numbers: `bits` bits from bit `at`. */
  readonly parts?: readonly { readonly name: string; readonly at: number; readonly bits: number }[];
}

interface TrackSpec {
  readonly name: TrackName;
  readonly title: string;
  /** The enum whose members are the states of this track. */
  readonly states: string;
  /** The port without which the track stays idle. */
  readonly requiresWired?: string;
}

/** Messages ("port.message") that the part wired to a port must be able to send. */
export interface Need {
  /** "port.other": applies only if the part at this port is wired at its port `other`. */
  readonly when?: string;
  readonly sends: readonly string[];
}

export interface PortSpec {
  readonly name: string;
  readonly first: number;
  readonly count: number;
  /** Protocol of the port; a wire joins a client and a server of one protocol. */
  readonly protocol: string;
  readonly role: string;
  readonly required: boolean;
  readonly doc: string;
  /** Messages that the part may send here, each with one that must come before it. */
  readonly sends: Readonly<Record<string, string | null>>;
  /** Disposition of messages received here: '' if handled, "port.message" if forwarded, null if ignored. */
  readonly receives: Readonly<Record<string, string | null>>;
  readonly needs: readonly Need[];
  /** Operations of other services that the part calls here. */
  readonly calls?: readonly string[];
  /** Another port of the part that must be wired too, or must not be wired. */
  readonly requiresWired?: string;
  readonly forbidsWired?: string;
  /** "port.message" that a peer must be able to send to the part, or this port has no use. */
  readonly requiresSender?: string;
}

interface MessageField {
  readonly name: string;
  /** Type of the field: an address, bytes, a time, a write number or a flag; omitted for a plain number. */
  readonly as?: string;
  readonly doc?: string;
}

/** A message of a protocol. */
export interface Message {
  readonly name: string;
  /** The role that sends it. */
  readonly from: string;
  /** Sent through the event queue; otherwise a call, which is answered at once. */
  readonly timed: boolean;
  /** The message or answer that must precede it; null if none. */
  readonly after: string | null;
  readonly doc: string;
  readonly in: readonly MessageField[];
  readonly out: readonly MessageField[];
  readonly answer: string | null;
}

/** A value of a message's field; shown by its name if it has no title. */
interface FieldValue {
  readonly name: string;
  readonly title?: string;
  readonly short?: string;
  readonly style?: string;
  readonly doc?: string;
}

/** A protocol: the messages of one kind of wire and the roles that send them. */
export interface Protocol {
  readonly name: string;
  readonly title: string;
  readonly doc: string;
  /** Title of each end, by role. */
  readonly roles: Readonly<Record<string, string>>;
  /** Protocols that are tunnelled through this one. */
  readonly includes: readonly { readonly protocol: string; readonly from: string }[];
  /** Enums of message fields. */
  readonly enums: Readonly<Record<string, readonly FieldValue[]>>;
  /** Whether later messages may pass earlier ones in the same direction. */
  readonly ordering?: {
    readonly doc: string;
    readonly source: string;
    readonly kinds: readonly {
      readonly name: string;
      readonly title: string;
      readonly short: string;
    }[];
    readonly passes: readonly (readonly string[])[];
  };
  readonly messages: readonly Message[];
}

export interface EventSpec {
  /** Global number of this kind of event, as in trace records. */
  readonly kind: number;
  readonly name: EventWord;
  readonly fields: readonly {
    readonly name: EventField;
    readonly slot: string;
    readonly as: string;
  }[];
  /** With field names in braces: `{pages}`; `{pages:entry|entries}` selects singular or plural. */
  readonly text: string;
  /** From this event on the track is in state `set` (a member, "{field}", or null for idle). */
  readonly lane: { readonly track: TrackName; readonly set: string | null } | null;
  /** `notable` events are announced and listed; `detail` events are shown on request. */
  readonly level: string;
}

/** A value that a part and its peer at a port must agree on, if both declare it. */
export interface AgreementSpec {
  readonly port: string;
  /** What the value means; the same text at both ends. */
  readonly on: string;
  readonly type: string;
  /** The parameter that has the value, or a fixed value in base units. */
  readonly is: string;
}

/** A port, or one place of it. */
interface PlaceSpec {
  readonly port: string;
  readonly index?: number;
}

/**
 * Addresses that a part answers at a port; with `to`, those that it forwards. Terms are parameters of the part,
 * or numbers in base units.
 */
export interface AddressSpec {
  readonly at: PlaceSpec;
  readonly to?: PlaceSpec;
  /** Forwards to the place given by the caller, not to the one that claims the address. */
  readonly numbered?: boolean;
  /** The part there is asked first. */
  readonly first?: boolean;
  /** Applies only if this port is wired. */
  readonly requiresWired?: string;
  /** What the addresses are; omitted if every address claimed beyond is forwarded, as by a bus. */
  readonly region?: string;
  readonly from?: string;
  readonly bytes?: string;
  /** Number of windows of `bytes`, one for each place of a bus. */
  readonly times?: number;
  /** Address beyond the bridge to which the first address is translated; the same if omitted. */
  readonly as?: string;
  /** Value of `from` that means "no addresses". */
  readonly none?: string;
}

/** A parameter with the address at which processors reach the registers of another part. */
export interface DrivenRegisters {
  readonly param: string;
  readonly type: string;
  /** Applies only if parameters have these values, members of their enums. */
  readonly when?: Readonly<Record<string, string>>;
  /** Parameters that both parts have and that must be equal. */
  readonly same: readonly string[];
  /** By operation: the field of its rows that is an address on the other part's bus. */
  readonly rows: Readonly<Record<string, string>>;
}

/**
 * A translation table that a unit reads in memory: 8 bytes per entry, with an upper-level table before it if it
 * has two levels.
 */
export interface TranslationTable {
  /** The port towards memory. */
  readonly at: string;
  readonly from: string;
  /**
   * Number of bits of an entry's index, or the parameter of the service at a port that gives the number of
   * entries.
   */
  readonly bits?: string;
  readonly entries?: { readonly at: string; readonly param: string };
  readonly levels?: string;
  readonly when?: Readonly<Record<string, string>>;
}

export interface PartType {
  readonly id: number;
  readonly layer: string;
  readonly name: PartName;
  readonly title: string;
  /** Glyph and hue of the part: cpu, adapter, mem, bus, disk, lan, card, os, other. */
  readonly actor: string;
  readonly doc: string;
  /** Constants for readers of its views, in base units. */
  readonly constants: Readonly<Record<string, number>>;
  readonly enums: Readonly<Record<string, readonly EnumMember[]>>;
  readonly params: readonly ParamSpec[];
  readonly counters: readonly CounterSpec[];
  readonly tables: readonly TableSpec[];
  readonly views: readonly ViewSpec[];
  readonly tracks: readonly TrackSpec[];
  readonly ports: readonly PortSpec[];
  /** Operations of programs that this service executes, and the port to which it forwards the others. */
  readonly executes?: readonly string[];
  readonly forwardsTo?: string;
  /** Parameters of older files, with the port of the part that has them now. */
  readonly movedTo?: Readonly<Record<string, string>>;
  readonly mustMatch?: readonly AgreementSpec[];
  readonly addresses?: readonly AddressSpec[];
  readonly drives?: readonly DrivenRegisters[];
  readonly table?: TranslationTable;
  /** Memory that holds the values of entries, given by two parameters. */
  readonly values?: { readonly from: string; readonly bytes: string };
  /** Of a mapping service: the port of the unit that translates its addresses. */
  readonly unit?: string;
  readonly events: readonly EventSpec[];
}
