/**
 * Addresses for an added part: windows that do not overlap others on the same kind of bus, and for a driver the
 * address of its device.
 */
import type { AddressSpec, PartType } from '../../engine/manifest';
import { ENGINE_PARTS } from '../scenario/catalogue';
import type { Value } from '../scenario/scenario-types';
import { toInteger, toText } from '../scenario/values';
import type { BuildFile, BuildPart } from './build-types';

type Params = Record<string, Value>;

interface Range {
  readonly from: bigint;
  readonly end: bigint;
}

/** A value named in a manifest: a parameter of the file, its default, or a constant. */
function numberOf(type: PartType, params: BuildPart['params'], term = '0'): bigint {
  const spec = type.params.find(({ name }) => name === term);
  if (!spec) return BigInt(term);
  const written = params?.[term];
  const raw = typeof written === 'object' ? written.value : written;
  const value = raw === undefined ? null : toInteger(raw, spec.type, type.enums);
  return typeof value === 'bigint' ? value : BigInt(spec.default);
}

/** Windows of a part whose address is set by a parameter. */
const settable = (type: PartType): readonly AddressSpec[] =>
  (type.addresses ?? []).filter(
    ({ from, to, none }) =>
      !to && none === undefined && type.params.some(({ name }) => name === from),
  );

const protocolAt = (type: PartType, { at }: AddressSpec) =>
  type.ports.find(({ name }) => name === at.port)?.protocol;

function takenBy(file: BuildFile, protocol: string | undefined): Range[] {
  return Object.values(file.machine.parts).flatMap(({ type: name, params }) => {
    const type = ENGINE_PARTS.types.get(name);
    if (!type) return [];
    return settable(type)
      .filter((spec) => protocolAt(type, spec) === protocol)
      .map((spec): Range => {
        const from = numberOf(type, params, spec.from);
        return { from, end: from + numberOf(type, params, spec.bytes) };
      });
  });
}

const MOST = 1n << 32n;

/** The first free window at or after the default address; the default if there is none. */
function freeFrom(usual: bigint, bytes: bigint, step: bigint, taken: readonly Range[]): bigint {
  for (let from = usual; from + bytes <= MOST; ) {
    const hit = taken.find((range) => from < range.end && range.from < from + bytes);
    if (!hit) return from;
    from = ((hit.end + step - 1n) / step) * step;
  }
  return usual;
}

function own(file: BuildFile, type: PartType): Params {
  const params: Params = {};
  const chosen: Range[] = [];
  for (const spec of settable(type)) {
    const param = type.params.find(({ name }) => name === spec.from);
    const bytes = numberOf(type, undefined, spec.bytes);
    const unit = BigInt(param?.rule?.of[0] ?? 1);
    const usual = BigInt(param?.default ?? 0);
    const taken = [...takenBy(file, protocolAt(type, spec)), ...chosen];
    const from = freeFrom(usual, bytes, bytes > unit ? bytes : unit, taken);
    chosen.push({ from, end: from + bytes });
    if (param && from !== usual) params[param.name] = toText(from, param.type, type.enums);
  }
  return params;
}

/** The address of the last device that a driver of this type can drive. */
function driven(file: BuildFile, type: PartType): Params {
  const params: Params = {};
  for (const { param: name, type: of } of type.drives ?? []) {
    const param = type.params.find((one) => one.name === name);
    const device = Object.values(file.machine.parts).findLast((part) => part.type === of);
    const kind = ENGINE_PARTS.types.get(of);
    const registers = kind && settable(kind).find(({ region }) => region === 'registers');
    if (!device || !kind || !registers || !param) continue;
    const at = numberOf(kind, device.params, registers.from);
    if (at !== BigInt(param.default)) params[name] = toText(at, param.type, type.enums);
  }
  return params;
}

export const addressesFor = (file: BuildFile, type: PartType): Params => ({
  ...own(file, type),
  ...driven(file, type),
});
