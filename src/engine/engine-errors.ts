/** Error codes of the engine and their messages. */
import { EngineError } from './api';
import type { PartShape } from './engine-code';
import { SIM_ERROR } from './gen/abi';
import { MESSAGES } from './gen/messages';

/** Codes of EngineError: below 100 from the engine, above from its hosts. */
export const FAULT = {
  ...SIM_ERROR,
  /** A violated invariant. The instance is unusable; a new one can be opened. */
  trap: 100,
  /** The worker did not answer and was terminated. */
  silent: 101,
  /** The engine could not be started, or was disposed. */
  unavailable: 102,
  /** No session is open. */
  noSession: 103,
} as const;

/** Whether an error is a refusal of the input; otherwise the engine itself failed. */
export const isRefusal = (error: EngineError): boolean => error.code < FAULT.trap;

/** A refusal as reported by the engine, and the shape of the part. */
interface Refusal {
  readonly code: number;
  readonly part: number;
  readonly shape: PartShape | undefined;
  readonly detail: number;
}

function portName(shape: PartShape | undefined, index: number): string {
  const port = shape?.ports.find(({ first, count }) => index >= first && index < first + count);
  if (!port) return `number ${index}`;
  return port.count > 1 ? `"${port.name}${index - port.first}"` : `"${port.name}"`;
}

function paramName(shape: PartShape | undefined, index: number): string {
  const param = shape?.params[index];
  return param ? `"${param.name}"` : `number ${index}`;
}

/** The memory limit of the wasm build, in MiB. */
const MAX_MIB = 2048;

const SENTENCES: Record<number, (refusal: Refusal) => string> = {
  [FAULT.badHeader]: () => 'This is not a session that this engine can read.',
  [FAULT.badLayout]: () =>
    'The session was compiled for another build of the engine; reload to get matching versions.',
  [FAULT.truncated]: ({ detail }) =>
    detail === 1 ? 'The session has data after its end.' : 'The session is truncated.',
  [FAULT.noMemory]: ({ detail }) =>
    `The machine needs ${Math.ceil(detail / 1024)} MiB of memory, more than the limit: an engine has at most ${MAX_MIB} MiB.`,
  [FAULT.badType]: ({ detail }) => `The engine has no part of type ${detail}.`,
  [FAULT.badWire]: ({ detail }) => `Wire ${detail} joins a port that does not exist or is taken.`,
  [FAULT.unwired]: ({ shape, detail }) => `Its port ${portName(shape, detail)} must be wired.`,
  [FAULT.tooMany]: ({ part, detail }) =>
    part >= 0
      ? `Its tables have too many rows or threads; the limit is ${detail}.`
      : `The session asks for too many parts, messages or records for an engine; the limit is ${detail}.`,
  [FAULT.badParam]: ({ shape, detail }) =>
    `Its parameter ${paramName(shape, detail)} cannot have this value.`,
  [FAULT.badRow]: ({ detail }) => `Row ${detail} of its program cannot be executed.`,
  [FAULT.unalignedDma]: ({ detail }) =>
    `Row ${detail} of its program: DMA moves whole, aligned 32-bit words.`,
  [FAULT.notLive]: ({ shape, detail }) =>
    `Its parameter ${paramName(shape, detail)} cannot change while the machine runs.`,
  [FAULT.crowded]: ({ detail }) =>
    `With this part more than ${detail} messages could be under way at once, which no event queue holds.`,
};

/** The error for a refusal by the engine. */
export function refused(refusal: Refusal): EngineError {
  const { code, part, shape, detail } = refusal;
  const sentence = SENTENCES[code]?.(refusal) ?? `The engine refused with code ${code}.`;
  const title = code === FAULT.badType ? undefined : shape?.title;
  const where = part >= 0 ? `${title ?? `Part ${part}`}: ` : '';
  return new EngineError(where + sentence, code, part, detail);
}

/** Engine functions in a stack trace, innermost first. V8 and SpiderMonkey format them differently. */
function wasmNames(stack: string): string[] {
  const names = stack
    .split('\n')
    .filter((line) => line.includes('wasm'))
    .map((line) => line.match(/^\s*(?:at )?(?:[\w-]+\.wasm\.)?(\w+)(?: \(|@)/)?.[1]);
  return names.filter((name) => name !== undefined);
}

/** The position at which a run trapped, from the header. */
export interface RunInterrupted {
  readonly code: number;
  readonly part: number;
  readonly detail: number;
}

/** The cause of a trap during delivery: no handler at the port, or the port is not wired. */
function deliveryFault({ code, part, detail }: RunInterrupted): string | null {
  const what = `"${MESSAGES[detail & 0xff] ?? `message ${detail & 0xff}`}"`;
  const where = `place ${detail >>> 8} of part ${part}`;
  if (code === FAULT.unheard) return `${what} arrived at ${where}, which has no handler for it`;
  if (code === FAULT.unanswered) return `${what} was sent at ${where}, which is not wired`;
  return null;
}

/** The error for a trap after `events` events. */
export function trapped(cause: unknown, events: number, interrupted: RunInterrupted): EngineError {
  const { message = String(cause), stack = '' } = cause instanceof Error ? cause : {};
  const place = wasmNames(stack)[0];
  const where = place ? ` in ${place}` : '';
  const fault = deliveryFault(interrupted);
  return new EngineError(
    fault
      ? `The engine stopped after event ${events}: ${fault}.`
      : `The engine stopped${where} after event ${events}: an invariant does not hold (${message}).`,
    FAULT.trap,
    fault ? interrupted.part : -1,
  );
}
