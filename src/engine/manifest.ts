/**
 * The shape of a part's manifest after the generator has read it: what the page, the headless program
 * and the reference page know about a part. Numbers are decimal strings in base units (ps, Hz, B, B/s).
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
  /** The title where there is little room. */
  readonly short?: string;
  /** "port.message" that this operation sends. */
  readonly sends?: readonly string[];
  /** Parts that execute this operation, where it is not the processor itself. */
  readonly executedBy?: readonly string[];
  /** Of an operation: the fields that a row of it may have. */
  readonly fields?: readonly string[];
  /** How a lane draws the state: solid, hatch (waiting), light, outline, dashed, line (in the background). */
  readonly style: string;
  readonly doc: string;
}

/**
 * What a value must be besides lying in its range. Terms are whole numbers in base units, or parameters of the part.
 */
export interface ParamRule {
  /** It is a multiple of the product of these. */
  readonly of: readonly string[];
  /** And how many times it is that product is a power of two. */
  readonly powerOfTwo: boolean;
  /** It is one less than a number of this kind. */
  readonly mask: boolean;
  /** It is at most the sum of these. */
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
  /** Published figures that the default was chosen or derived from. */
  readonly figures?: readonly string[];
}

export interface CounterSpec {
  readonly name: CounterName;
  readonly title: string;
  /** "ps", "B", or what is counted. */
  readonly unit: string;
  readonly doc: string;
}

/** What a field must be in the rows of some operations, or in all rows if none are named. */
export interface RowRule {
  readonly ops: readonly string[];
  readonly field: string;
  /** It must be given explicitly: a default would be an arbitrary address. */
  readonly given?: boolean;
  readonly min: string;
  readonly max: string;
  readonly rule?: ParamRule;
  /** Why. */
  readonly doc: string;
}

export interface TableSpec {
  readonly name: string;
  readonly doc: string;
  readonly rules: readonly RowRule[];
  /** Of programs: how deep loops may lie in each other, and how many threads there may be. */
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
  /** What its bits hold, where that is more than one number: `bits` of them from bit `at` on. */
  readonly parts?: readonly { readonly name: string; readonly at: number; readonly bits: number }[];
}

interface TrackSpec {
  readonly name: TrackName;
  readonly title: string;
  /** The enum whose members are the states of this track. */
  readonly states: string;
  /** A port without whose wire nothing ever happens on it. */
  readonly requiresWired?: string;
}

/** What the part wired to a port must be able to say at its own ports, as "port.message". */
export interface Need {
  /** "port.other": only where the part at that port of one's own is wired at its port `other`. */
  readonly when?: string;
  readonly sends: readonly string[];
}

export interface PortSpec {
  readonly name: string;
  readonly first: number;
  readonly count: number;
  /** What is said over it; a wire joins a client and a server of one protocol. */
  readonly protocol: string;
  readonly role: string;
  readonly required: boolean;
  readonly doc: string;
  /** Messages that the part may send here, each with one that must come before it. */
  readonly sends: Readonly<Record<string, string | null>>;
  /** Messages that the part receives here: '' where it handles them, "port.message" where it forwards, null where it ignores. */
  readonly receives: Readonly<Record<string, string | null>>;
  readonly needs: readonly Need[];
  /** Operations of other services that the part calls here. */
  readonly calls?: readonly string[];
  /** Another port of the part that must be wired too, or must not be. */
  readonly requiresWired?: string;
  readonly forbidsWired?: string;
  /** "port.message" that a peer must be able to send to the part, or this port has no use. */
  readonly requiresSender?: string;
}

interface MessageField {
  readonly name: string;
  /** What it is: an address, bytes, a time, a write's identity, a flag; left out for a plain number. */
  readonly as?: string;
  readonly doc?: string;
}

/** Something that can be said on a wire. */
export interface Message {
  readonly name: string;
  /** Which role says it. */
  readonly from: string;
  /** Sent through the event queue; else asked, and answered at once. */
  readonly timed: boolean;
  /** What is said, or answered, before it can come; null if nothing need be. */
  readonly after: string | null;
  readonly doc: string;
  readonly in: readonly MessageField[];
  readonly out: readonly MessageField[];
  readonly answer: string | null;
}

/** A value of a message's field; without a title its name is shown. */
interface SpokenMember {
  readonly name: string;
  readonly title?: string;
  readonly short?: string;
  readonly style?: string;
  readonly doc?: string;
}

/** What can be said on one kind of wire, and by whom. */
export interface Protocol {
  readonly name: string;
  readonly title: string;
  readonly doc: string;
  /** Who stands at each end, by role. */
  readonly roles: Readonly<Record<string, string>>;
  /** Conversations that are carried over this one. */
  readonly includes: readonly { readonly protocol: string; readonly from: string }[];
  /** Values that fields of its messages take. */
  readonly enums: Readonly<Record<string, readonly SpokenMember[]>>;
  /** Whether what comes later may pass what is before it, where both go the same way. */
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
  /** With its fields in braces: `{pages}`, and `{pages:entry|entries}` for singular and plural. */
  readonly text: string;
  /** From this event on the track is in state `set` (a member, "{field}", or null for idle). */
  readonly lane: { readonly track: TrackName; readonly set: string | null } | null;
  /** `notable` events are read out and listed; `detail` events are shown on request. */
  readonly level: string;
}

/** Values in which a part and its peer at a port must agree, if both declare them. */
export interface AgreementSpec {
  readonly port: string;
  /** What both mean, the same words at both ends. */
  readonly on: string;
  readonly type: string;
  /** The parameter whose value it is, or a fixed one in base units. */
  readonly is: string;
}

/** A port, or one place of it. */
interface PlaceSpec {
  readonly port: string;
  readonly index?: number;
}

/**
 * Addresses that a part answers at a port; with `to`, those that it passes on from there. Terms are parameters of the
 * part, or numbers in base units.
 */
export interface AddressSpec {
  readonly at: PlaceSpec;
  readonly to?: PlaceSpec;
  /** It forwards to the place whose number the caller gives, not to the one that claims the address. */
  readonly numbered?: boolean;
  /** The part there is asked before others. */
  readonly first?: boolean;
  /** Only where this port is wired. */
  readonly requiresWired?: string;
  /** What they are; left out where all that is claimed beyond is passed on, as by a bus. */
  readonly region?: string;
  readonly from?: string;
  readonly bytes?: string;
  /** So many windows of `bytes`, one for each place of a bus. */
  readonly times?: number;
  /** The address beyond that the first stands for; the same if left out. */
  readonly as?: string;
  /** A value of `from` by which there are none. */
  readonly none?: string;
}

/** A parameter that says where processors reach the registers of another part. */
export interface DrivenRegisters {
  readonly param: string;
  readonly type: string;
  /** Only where parameters have these values, members of their enums. */
  readonly when?: Readonly<Record<string, string>>;
  /** Parameters that both parts have, and must have alike. */
  readonly same: readonly string[];
  /** By operation: the field of its rows that is an address in the other part, as it stands on its bus. */
  readonly rows: Readonly<Record<string, string>>;
}

/**
 * A table of translations that a unit reads in memory: 8 bytes for each entry, behind those of an upper table if it
 * has two levels.
 */
export interface TranslationTable {
  /** The port towards memory. */
  readonly at: string;
  readonly from: string;
  /** So many bits number its entries; or a parameter of the service at a port says how many there are. */
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
  /** Which glyph and hue the part takes: cpu, adapter, mem, bus, disk, lan, card, os, other. */
  readonly actor: string;
  readonly doc: string;
  /** Numbers for readers of its views, in base units. */
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
  /** Parameters that it had in files of earlier days, and the port of the part that has them now. */
  readonly movedTo?: Readonly<Record<string, string>>;
  readonly mustMatch?: readonly AgreementSpec[];
  readonly addresses?: readonly AddressSpec[];
  readonly drives?: readonly DrivenRegisters[];
  readonly table?: TranslationTable;
  /** Memory that holds values of entries, by two parameters. */
  readonly values?: { readonly from: string; readonly bytes: string };
  /** Of a mapping service: the port of the unit that translates the addresses which it gives. */
  readonly unit?: string;
  readonly events: readonly EventSpec[];
}
