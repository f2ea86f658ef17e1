/**
 * Machines: parts and wires. A machine may extend another file's: parts are then changed or removed by name
 * (`null`), and its wires replace those that end at the same ports.
 */

import { hint, quote } from '../../base/suggest';
import type { Basis, PartType, PortSpec } from '../../engine/manifest';
import { figure, noFigure } from '../published/published';
import type { Catalogue } from './catalogue';
import { type JsonText, readJson } from './json-text';
import { MAX } from './limits';
import { unusableParts } from './monitors';
import { ownerOf } from './moved-params';
import { gather, type Problem, type Report, type Result, success } from './problems';
import type { RowFile } from './program-loops';
import {
  type Machine,
  type ParamSetting,
  type ScenarioPart,
  type TableRow,
  Where,
  type Wire,
  type WireEnd,
} from './scenario-types';
import type { MachineFile, ParamFile, PartFile, ScenarioFile } from './schema';
import { wiringProblems } from './wiring';

type MachineShape = Pick<MachineFile, 'extends' | 'parts' | 'wires'>;

/** Texts of machines that can be extended, by name. */
export interface MachineTexts {
  readonly get: (name: string) => string | undefined;
  readonly keys: () => Iterable<string>;
}

/** Parses texts into files of a known structure. */
export interface Shapes {
  scenario(json: JsonText): Result<ScenarioFile>;
  machine(json: JsonText): Result<MachineFile>;
}

/** Maximum length of a chain of extended machines. */
const MAX_EXTENDED = 16;

interface RawWire {
  readonly ends: readonly [string, string];
  readonly where: Where;
}

interface MovedSetting {
  readonly part: string;
  readonly name: string;
  readonly setting: ParamSetting;
}

interface Draft {
  readonly parts: Map<string, ScenarioPart>;
  /** Settings of parameters that have moved to other parts. */
  readonly moved: MovedSetting[];
  readonly wires: RawWire[];
}

const rowsOf = (rows: readonly RowFile[], where: Where): TableRow[] =>
  rows.map((fields, i) => ({ fields, where: where.at(i) }));

class MachineReader {
  /** The extended machine could not be read, so its parts are unknown. */
  private baseIsLost = false;

  constructor(
    private readonly catalogue: Catalogue,
    private readonly files: MachineTexts,
    private readonly shapes: Shapes,
    private readonly report: Report,
    private readonly forChecks: boolean,
  ) {}

  draft(shape: MachineShape, where: Where, seen: readonly string[]): Draft {
    const draft: Draft =
      shape.extends === undefined
        ? { parts: new Map(), wires: [], moved: [] }
        : this.base(shape.extends, where.at('extends'), seen);
    for (const [name, part] of Object.entries(shape.parts ?? {}))
      this.place(draft, name, part, where.at('parts', name));
    shape.wires?.forEach((ends, i) => {
      draft.wires.push({ ends, where: where.at('wires', i) });
    });
    return draft;
  }

  private lost(problems: readonly Problem[]): Draft {
    this.baseIsLost = true;
    for (const found of problems) this.report(found);
    return { parts: new Map(), wires: [], moved: [] };
  }

  private base(name: string, where: Where, seen: readonly string[]): Draft {
    if (seen.includes(name))
      return this.lost([where.problem(`The machine ${quote(name)} extends itself.`)]);
    const text = this.files.get(name);
    if (text === undefined) {
      const known = [...this.files.keys()].sort();
      const help = hint(name, known, known.length);
      return this.lost([where.problem(`There is no machine ${quote(name)}${help}`)]);
    }
    if (seen.length === MAX_EXTENDED) {
      const rule = `At most ${MAX_EXTENDED} machines may extend one another`;
      return this.lost([where.problem(`${rule}; ${quote(name)} would be one more.`)]);
    }
    const file = this.file(text, `machines/${name}.json`);
    if (!file.ok) return this.lost(file.problems);
    const [json, shape] = file.value;
    return this.draft(shape, new Where(json, []), [...seen, name]);
  }

  private file(text: string, name: string): Result<[JsonText, MachineFile]> {
    const json = readJson(text, name);
    if (!json.ok) return json;
    const shape = this.shapes.machine(json.value);
    return shape.ok ? success([json.value, shape.value]) : shape;
  }

  private place(draft: Draft, name: string, part: PartFile | null, where: Where): void {
    const before = draft.parts.get(name);
    if (part === null) {
      if (!before && !this.baseIsLost)
        this.report(where.problem(`There is no part ${quote(name)} to remove.`, true));
      draft.parts.delete(name);
      const kept = draft.wires.filter(({ ends }) => !ends.some((end) => partOf(end) === name));
      draft.wires.splice(0, draft.wires.length, ...kept);
      return;
    }
    const type = this.typeOf(part, before, where);
    if (!type) return;
    const same = before?.type === type ? before : undefined;
    draft.moved.push(...this.moved(name, part, type, where));
    draft.parts.set(name, {
      name,
      type,
      where,
      title: part.title ?? before?.title ?? type.title,
      at: part.at ?? before?.at ?? null,
      params: new Map([...(same?.params ?? []), ...this.params(part, type, where)]),
      tables: new Map([...(same?.tables ?? []), ...this.tables(part, type, where)]),
    });
  }

  private typeOf(part: PartFile, before: ScenarioPart | undefined, where: Where): PartType | null {
    if (part.type === undefined) {
      if (!before && !this.baseIsLost)
        this.report(where.problem('This part needs a "type".', true));
      return before?.type ?? null;
    }
    const type = this.catalogue.types.get(part.type);
    if (type) return type;
    const known = this.catalogue.types.keys();
    this.report(
      where
        .at('type')
        .problem(`There is no part type ${quote(part.type)}${hint(part.type, known)}`),
    );
    return null;
  }

  private params(part: PartFile, type: PartType, where: Where): [string, ParamSetting][] {
    return Object.entries(part.params ?? {}).flatMap(([name, written]) => {
      const spec = type.params.find((param) => param.name === name);
      const at = where.at('params', name);
      this.checkFigures(written, at.at('figures'));
      if (type.movedTo?.[name]) return [];
      if (spec) return [[name, settingOf(written, spec.basis as Basis, spec.source, at)] as const];
      const known = type.params.map((param) => param.name);
      this.report(
        at.problem(`${quote(type.name)} has no parameter ${quote(name)}${hint(name, known)}`, true),
      );
      return [];
    }) as [string, ParamSetting][];
  }

  private checkFigures(written: ParamFile, where: Where): void {
    for (const [i, id] of (typeof written === 'object' ? (written.figures ?? []) : []).entries())
      if (!figure(id)) this.report(where.at(i).problem(noFigure(id)));
  }

  private moved(part: string, { params = {} }: PartFile, type: PartType, where: Where) {
    return Object.entries(params).flatMap(([name, written]) =>
      type.movedTo?.[name]
        ? [{ part, name, setting: settingOf(written, 'scenario', '', where.at('params', name)) }]
        : [],
    );
  }

  private tables(part: PartFile, type: PartType, where: Where): [string, TableRow[]][] {
    return Object.entries(part.tables ?? {}).map(([name, rows]) => {
      const at = where.at('tables', name);
      const known = type.tables.map((table) => table.name);
      if (!known.includes(name))
        this.report(
          at.problem(`${quote(type.name)} has no table ${quote(name)}${hint(name, known)}`, true),
        );
      return [name, rowsOf(rows, at)];
    });
  }

  finish(draft: Draft, where: Where): Machine {
    const parts = [...draft.parts.values()];
    if (parts.length === 0) this.report(where.problem('The machine has no parts.', true));
    if (parts.length > MAX.parts)
      this.report(where.problem(`A machine has at most ${MAX.parts} parts.`, true));
    for (const [part, sentence] of unusableParts(parts, this.forChecks))
      this.report(part.where.problem(sentence, true));
    const wires = this.wires(parts, draft.wires);
    this.required(parts, wires);
    return { parts: applyMoved(parts, wires, draft.moved), wires };
  }

  private wires(parts: readonly ScenarioPart[], raw: readonly RawWire[]): Wire[] {
    const used = new Map<string, Wire>();
    for (const { ends, where } of inOrder(raw)) {
      const [a, b] = ends.map((end, i) => this.end(parts, used, end, where.at(i)));
      if (!a || !b) continue;
      if (a.part === b.part && a.slot === b.slot) {
        this.report(where.problem('Both ends of this wire are the same port.'));
        continue;
      }
      const wire: Wire = { ends: [a, b], where };
      const mismatch = this.mismatch(parts, wire);
      if (mismatch !== null) {
        this.report(where.problem(mismatch));
        continue;
      }
      for (const end of wire.ends) {
        const other = used.get(keyOf(end));
        if (other) this.replace(used, other, wire, end, parts);
        used.set(keyOf(end), wire);
      }
    }
    const kept = new Set(used.values());
    return [...kept].filter((wire) => wire.ends.every((end) => used.get(keyOf(end)) === wire));
  }

  /** A later file's wire replaces earlier ones; two wires of one file at the same end are an error. */
  private replace(
    used: Map<string, Wire>,
    other: Wire,
    wire: Wire,
    end: WireEnd,
    parts: readonly ScenarioPart[],
  ): void {
    if (other.where.json === wire.where.json) {
      const name = `${parts[end.part]?.name}.${end.port}`;
      this.report(wire.where.problem(`Another wire already ends at ${quote(name)}.`));
    }
    for (const old of other.ends) used.delete(keyOf(old));
  }

  private end(
    parts: readonly ScenarioPart[],
    used: ReadonlyMap<string, Wire>,
    text: string,
    where: Where,
  ): WireEnd | null {
    const [, partName = '', portName = ''] = /^([^.]+)\.([^.]+)$/.exec(text) ?? [];
    const refuse = (message: string) => {
      this.report(where.problem(message));
      return null;
    };
    if (!portName)
      return refuse('A port has the form "part.port", or "part.port0" for its first place.');
    const part = parts.findIndex((one) => one.name === partName);
    const type = parts[part]?.type;
    if (!type) {
      const names = parts.map((one) => one.name);
      return refuse(`There is no part ${quote(partName)}${hint(partName, names)}`);
    }
    const found = findPort(type, portName);
    if (!found) {
      const names = type.ports.map((one) => one.name);
      return refuse(`${quote(partName)} has no port ${quote(portName)}${hint(portName, names)}`);
    }
    const { port } = found;
    const index = found.index ?? freeIndex(port, part, used);
    if (index < port.count) return { part, port: port.name, index, slot: port.first + index };
    const free = `${quote(text)}: this port has ${port.count} ${port.count === 1 ? 'place' : 'places'}`;
    return refuse(found.index === null ? `${free}, all taken.` : `${free}, counted from 0.`);
  }

  /** Why the ends of a wire do not match; null if they do. */
  private mismatch(parts: readonly ScenarioPart[], wire: Wire): string | null {
    const [a, b] = wire.ends.map((end) => {
      const part = parts[end.part];
      const port = part?.type.ports.find((one) => one.name === end.port);
      return { name: `${part?.name}.${end.port}`, protocol: port?.protocol, role: port?.role };
    });
    if (a?.protocol === b?.protocol && a?.role !== b?.role) return null;
    const side = (end: typeof a) =>
      `${quote(end?.name ?? '')} is a ${end?.role} of ${end?.protocol}`;
    return `A wire joins a client and a server of one protocol; ${side(a)}, ${side(b)}.`;
  }

  private required(parts: readonly ScenarioPart[], wires: readonly Wire[]): void {
    const wired = new Set(wires.flatMap((wire) => wire.ends.map(keyOf)));
    parts.forEach((part, i) => {
      for (const port of part.type.ports) {
        if (!port.required || wired.has(`${i}.${port.first}`)) continue;
        this.report(
          part.where.problem(
            `The port ${quote(`${part.name}.${port.name}`)} must be wired. ${port.doc}`.trim(),
            true,
          ),
        );
      }
    });
  }
}

/** Applies the setting of a moved parameter to the part that has it now, unless that is set itself. */
function applyMoved(
  parts: readonly ScenarioPart[],
  wires: readonly Wire[],
  moved: readonly MovedSetting[],
): readonly ScenarioPart[] {
  const named = moved.map(({ part, name, setting }) => {
    const owner = ownerOf(
      { parts, wires },
      parts.findIndex((one) => one.name === part),
      name,
    );
    return { owner, name, setting };
  });
  return parts.map((part, i) => {
    const own = named.filter(({ owner }) => owner === i);
    const params = new Map(own.map(({ name, setting }) => [name, setting] as const));
    return own.length > 0 ? { ...part, params: new Map([...params, ...part.params]) } : part;
  });
}

const partOf = (end: string) => end.split('.')[0];
const keyOf = (end: WireEnd) => `${end.part}.${end.slot}`;

/** "slot" is any place of the port; "slot2" or "slot[2]" is its third. */
export function findPort(
  type: PartType,
  text: string,
): { port: PortSpec; index: number | null } | null {
  const named = (name: string) => type.ports.find((port) => port.name === name);
  const single = named(text);
  if (single) return { port: single, index: null };
  const [, name = '', bare, bracketed] = /^(.*?)(?:(\d{1,4})|\[(\d{1,4})\])$/.exec(text) ?? [];
  const port = named(name);
  return port ? { port, index: Number(bare ?? bracketed) } : null;
}

/** Wires by file, the extended one first. Within a file, ends with an index are assigned before those without. */
function inOrder(wires: readonly RawWire[]): RawWire[] {
  const files = [...new Set(wires.map((wire) => wire.where.json))];
  const open = (wire: RawWire) => wire.ends.filter((end) => !/[\d\]]$/.test(end)).length;
  const rank = (wire: RawWire) => files.indexOf(wire.where.json) * 3 + open(wire);
  return [...wires].sort((a, b) => rank(a) - rank(b));
}

/** The first free place of a port, so that wires to a bus need no numbers; a port with one place is replaced. */
function freeIndex(port: PortSpec, part: number, used: ReadonlyMap<string, Wire>): number {
  if (port.count === 1) return 0;
  let index = 0;
  while (index < port.count && used.has(`${part}.${port.first + index}`)) index++;
  return index;
}

function settingOf(written: ParamFile, basis: Basis, source: string, where: Where): ParamSetting {
  if (typeof written !== 'object') return { value: written, basis, source, figures: [], where };
  return {
    value: written.value,
    basis: written.basis ?? basis,
    source: written.source ?? source,
    figures: written.figures ?? [],
    where: where.at('value'),
  };
}

/** Reads the machine of a scenario, with the machines that it extends from `files` (texts by name). */
export function readMachine(
  shape: MachineShape,
  where: Where,
  catalogue: Catalogue,
  files: MachineTexts,
  shapes: Shapes,
  forChecks = false,
): Result<Machine> {
  const reader = (report: Report) => new MachineReader(catalogue, files, shapes, report, forChecks);
  const draft = gather((report) => reader(report).draft(shape, where, []));
  if (!draft.ok) return draft;
  const machine = gather((report) => reader(report).finish(draft.value, where));
  if (!machine.ok) return machine;
  const { parts, wires } = machine.value;
  return gather((report) => {
    wiringProblems(parts, wires, (at, message) => report(at.problem(message)));
    return machine.value;
  });
}
