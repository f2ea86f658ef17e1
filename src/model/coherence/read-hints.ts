/**
 * The prefetch hints of a local bus adapter as a matrix: rows are read commands, columns are kinds of memory and
 * hints. Parameters are found by name, such as "mrm_streaming_depth"; combinations without a parameter have no
 * cell.
 */
import type { CompiledMachine, CompiledParam, CompiledPart } from '../scenario/compiled';

export const COMMANDS = ['mr', 'mrl', 'mrm'] as const;
export const MEMORIES = ['consistent', 'streaming'] as const;
export const HINTS = ['relaxed', 'current', 'depth', 'block'] as const;

export interface HintCell {
  /** "lba.mrm_streaming_depth" */
  readonly path: string;
  readonly param: CompiledParam;
}

/** The cell of a command, a kind of memory and a hint; null if the part has no such parameter. */
export function hintCell(
  { name, params }: Pick<CompiledPart, 'name' | 'params'>,
  command: (typeof COMMANDS)[number],
  memory: (typeof MEMORIES)[number],
  hint: (typeof HINTS)[number],
): HintCell | null {
  const parameter = `${command}_${memory}_${hint}`;
  const param = params.find(({ spec }) => spec.name === parameter);
  return param ? { path: `${name}.${parameter}`, param } : null;
}

/**
 * Whether a hint cannot change in this machine: Read Current of consistent memory, unless reads are split. The
 * engine refuses other values, with the reason given in the parameter's manifest.
 */
export function isFixed(
  { parts, wires }: Pick<CompiledMachine, 'parts' | 'wires'>,
  { param }: HintCell,
): boolean {
  const part = parts.find((one) => one.params.includes(param));
  if (!part || !/_consistent_current$/.test(param.spec.name)) return false;
  const wire = wires.find(({ ends }) =>
    ends.some((end) => end.part === part.index && end.port === 'pci'),
  );
  const bus = wire?.ends.find((end) => end.part !== part.index);
  const ports = parts[bus?.part ?? -1]?.type.ports ?? [];
  return !ports.some(({ sends }) => 'begin_block' in sends);
}

/** Reads whose data may pass stores: "MRM of streaming memory". */
export const relaxedReadKinds = (part: Pick<CompiledPart, 'name' | 'params'>): string[] =>
  MEMORIES.flatMap((memory) =>
    COMMANDS.filter((command) => hintCell(part, command, memory, 'relaxed')?.param.value).map(
      (command) => `${command.toUpperCase()} of ${memory} memory`,
    ),
  );

/** The first part of a machine that has hints. */
export const hintedPartOf = ({ parts }: CompiledMachine): CompiledPart | null =>
  parts.find((part) => hintCell(part, 'mr', 'consistent', 'depth') !== null) ?? null;
