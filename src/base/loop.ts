/**
 * The one animation-frame loop of the page. Each frame runs its callbacks in three phases:
 *
 *   advance   move the playhead, ask the engine for the next frame
 *   dom       write readouts and attributes
 *   canvas    paint
 *
 * so that layout runs once and a canvas never paints half of an update. When a frame has used up its time,
 * one-shot callbacks wait for the next one: many panels that draw for the first time are spread over several frames.
 * The loop sleeps while no frame is requested. Simulated time does not depend on the frame rate.
 */
type Phase = 'advance' | 'dom' | 'canvas';

export interface FrameTime {
  /** Milliseconds of the host's clock. */
  readonly now: number;
  /** Milliseconds since the previous frame; 0 in the first frame after sleep. */
  readonly elapsed: number;
}

type FrameCallback = (time: FrameTime) => void;

interface FrameSource {
  request(callback: (now: number) => void): number;
  cancel(handle: number): void;
  /** The host's clock in milliseconds, by which a frame knows that it has taken its time; without one, none does. */
  clock?(): number;
}

export interface FrameLoop {
  /** Runs the callback in every frame until the returned function is called. */
  every(phase: Phase, callback: FrameCallback): () => void;
  /** Runs the callback in the next frame only; asking twice with the same function runs it once. */
  once(phase: Phase, callback: FrameCallback): void;
  /** Says where frames come from; the page gives requestAnimationFrame, tests give their own. */
  attach(source: FrameSource): void;
}

/** Milliseconds that drawing may take of a frame of a sixtieth of a second: layout and paint come on top. */
const DRAWING_MS = 10;

const PHASES: readonly Phase[] = ['advance', 'dom', 'canvas'];

interface Queue {
  readonly every: Set<FrameCallback>;
  once: Set<FrameCallback>;
}

export function createLoop(): FrameLoop {
  const queues: Record<Phase, Queue> = {
    advance: { every: new Set(), once: new Set() },
    dom: { every: new Set(), once: new Set() },
    canvas: { every: new Set(), once: new Set() },
  };
  let source: FrameSource | null = null;
  let handle: number | null = null;
  let last: number | null = null;

  const hasRequests = (): boolean =>
    PHASES.some((phase) => queues[phase].every.size + queues[phase].once.size > 0);

  function schedule(): void {
    if (source && handle === null && hasRequests()) handle = source.request(frame);
  }

  function runPhase(queue: Queue, time: FrameTime, isLate: () => boolean): void {
    const now = queue.once;
    queue.once = new Set();
    // The first of each phase always runs, so that none waits forever.
    const [first] = now;
    for (const callback of now) {
      if (callback !== first && isLate()) queue.once.add(callback);
      else guarded(callback, time);
    }
    for (const callback of [...queue.every]) guarded(callback, time);
  }

  function frame(now: number): void {
    handle = null;
    const time: FrameTime = { now, elapsed: last === null ? 0 : Math.max(0, now - last) };
    last = now;
    const clock = source?.clock;
    const until = clock ? clock() + DRAWING_MS : 0;
    const isLate = () => clock !== undefined && clock() > until;
    for (const phase of PHASES) runPhase(queues[phase], time, isLate);
    if (!hasRequests()) last = null;
    schedule();
  }

  return {
    every(phase, callback) {
      queues[phase].every.add(callback);
      schedule();
      return () => queues[phase].every.delete(callback);
    },
    once(phase, callback) {
      queues[phase].once.add(callback);
      schedule();
    },
    attach(next) {
      if (source && handle !== null) source.cancel(handle);
      handle = null;
      source = next;
      schedule();
    },
  };
}

/** One panel's failure must not stop the others' frames; the host reports it as uncaught. */
function guarded(callback: FrameCallback, time: FrameTime): void {
  try {
    callback(time);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}

/** The page's loop. */
export const loop = createLoop();
