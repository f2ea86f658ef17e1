/**
 * How a packet is handed from the adapter over the I/O processor to the application and back, in every order in which
 * the three can take their steps, with the protocol whole and with one defect after another.
 *
 *     adapter       first half, second half, descriptor to the driver ──┐ told
 *     I/O processor   waits, TCP/IP, message into the queue, counted ◂──┘ ──┐ wakes
 *     application       takes the message, reads first half, second half ◂──┘, gives the buffer back
 *
 * A buffer holds two halves, so that one that is overwritten while it is read shows. States are visited breadth first: a
 * way to a broken rule is a shortest one.
 */
import { count } from '../../base/format';

export const HAND_OVERS = [
  { name: 'whole', title: 'the protocol as it should be', holds: true },
  {
    name: 'early-owner',
    title: 'the descriptor changes hands before the bytes are written',
    holds: false,
  },
  { name: 'early-message', title: 'a message is counted before it is written', holds: false },
  { name: 'early-release', title: 'the buffer goes back once its message is sent', holds: false },
  { name: 'given-twice', title: 'a buffer goes back again with the next one', holds: false },
  {
    name: 'lost-wake',
    title: 'the application looks, and falls asleep a step later',
    holds: false,
  },
] as const;

export type HandOver = (typeof HAND_OVERS)[number]['name'];

export interface HandOverSize {
  readonly messages: number;
  readonly buffers: number;
}

export const USUAL_HAND_OVER: HandOverSize = { messages: 3, buffers: 2 };

export interface HandOverReport {
  readonly name: HandOver;
  readonly title: string;
  readonly states: number;
  readonly transitions: number;
  readonly depth: number;
  /** What is broken, and the shortest way there; null if every order has been tried and nothing is. */
  readonly broken: { readonly rule: string; readonly steps: readonly string[] } | null;
}

interface Buffer {
  isAdapters: boolean;
  first: number;
  second: number;
  /** The packet that the driver was told of, until it goes back; 0 for none. */
  note: number;
}

interface Message {
  slot: number;
  packet: number;
}

interface State {
  buffers: Buffer[];
  adapter: { packet: number; head: number; step: number };
  told: number;
  driver: { at: 'waits' | 'protocol' | 'put' | 'count' | 'release'; next: number } & Message;
  queue: { places: Message[]; first: number; used: number; put: number };
  application: {
    at: 'looks' | 'drowsy' | 'asleep' | 'first' | 'second' | 'gives';
    given: number;
  } & Message;
  read: number;
}

interface Step {
  readonly text: string;
  readonly state: State;
  /** The rule that this step breaks. */
  readonly breaks?: string;
}

const NONE = -1;

function start({ buffers }: HandOverSize): State {
  const empty = { slot: 0, packet: 0 };
  return {
    buffers: Array.from({ length: buffers }, () => ({
      isAdapters: true,
      first: 0,
      second: 0,
      note: 0,
    })),
    adapter: { packet: 1, head: 0, step: 0 },
    told: 0,
    driver: { at: 'waits', next: 0, ...empty },
    queue: {
      places: Array.from({ length: buffers }, () => ({ ...empty })),
      first: 0,
      used: 0,
      put: 0,
    },
    application: { at: 'looks', given: NONE, ...empty },
    read: 0,
  };
}

/** A state changed by a step; null where what changes it finds that it cannot be taken. */
function taken(before: State, text: string, change: (state: State) => string | null): Step {
  const state = structuredClone(before);
  const breaks = change(state);
  return breaks === null ? { text, state } : { text, state, breaks };
}

const bufferOf = (state: State, slot: number): Buffer => state.buffers[slot] as Buffer;

/** The order in which the adapter does its three things: the descriptor last, unless it is broken. */
const adapterOrder = (defect: HandOver) =>
  defect === 'early-owner'
    ? (['owner', 'first', 'second'] as const)
    : (['first', 'second', 'owner'] as const);

function adapterSteps(before: State, defect: HandOver, { messages }: HandOverSize): Step[] {
  const { packet, head, step } = before.adapter;
  const begins = step === 0;
  if (packet > messages || (begins && !bufferOf(before, head).isAdapters)) return [];
  const what = adapterOrder(defect)[step] ?? 'owner';
  const text = {
    first: `The adapter writes the first half of packet ${packet} into buffer ${head}.`,
    second: `The adapter writes the second half of packet ${packet} into buffer ${head}.`,
    owner: `The adapter hands buffer ${head} with packet ${packet} to the driver, and interrupts.`,
  }[what];
  return [
    taken(before, text, (state) => {
      const buffer = bufferOf(state, head);
      if (what === 'owner') {
        buffer.isAdapters = false;
        buffer.note = packet;
        state.told++;
      } else buffer[what] = packet;
      const isOver = step === 2;
      state.adapter = isOver
        ? { packet: packet + 1, head: (head + 1) % state.buffers.length, step: 0 }
        : { packet, head, step: step + 1 };
      return null;
    }),
  ];
}

const wakes = (state: State): void => {
  if (state.application.at === 'asleep') state.application.at = 'looks';
};

/** Writes the message, or counts it and wakes the application: the first comes first, unless it is broken. */
function putSteps(before: State, defect: HandOver): Step[] {
  const { driver, queue } = before;
  const { slot, packet } = driver;
  if (driver.at === 'put' && queue.used === queue.places.length) return [];
  const writesNow = (driver.at === 'put') === (defect !== 'early-message');
  const text = writesNow
    ? `The I/O processor writes the message of packet ${packet}, in buffer ${slot}.`
    : 'The I/O processor counts the message, and wakes the application if it sleeps.';
  return [
    taken(before, text, (state) => {
      if (writesNow) state.queue.places[state.queue.put] = { slot, packet };
      else {
        state.queue.used++;
        wakes(state);
      }
      const isOver = driver.at === 'count';
      if (isOver) state.queue.put = (state.queue.put + 1) % state.queue.places.length;
      const after = defect === 'early-release' ? 'release' : 'waits';
      state.driver.at = isOver ? after : 'count';
      return null;
    }),
  ];
}

function driverSteps(before: State, defect: HandOver): Step[] {
  const { at, next, slot } = before.driver;
  if (at === 'put' || at === 'count') return putSteps(before, defect);
  if (at === 'protocol')
    return [
      taken(before, 'The I/O processor is through with TCP/IP.', (state) => {
        state.driver.at = 'put';
        return null;
      }),
    ];
  if (at === 'release')
    return [
      taken(before, `The I/O processor gives buffer ${slot} back.`, (state) => {
        bufferOf(state, slot).isAdapters = true;
        state.driver.at = 'waits';
        return null;
      }),
    ];
  if (before.told === 0) return [];
  const found = before.buffers
    .map((_, i) => (next + i) % before.buffers.length)
    .find((one) => bufferOf(before, one).note > 0);
  return [
    taken(
      before,
      `The I/O processor takes ${found === undefined ? 'nothing: no buffer is noted' : `buffer ${found}`}.`,
      (state) => {
        state.told--;
        if (found === undefined) return null;
        const packet = bufferOf(state, found).note;
        state.driver = {
          at: 'protocol',
          next: (found + 1) % state.buffers.length,
          slot: found,
          packet,
        };
        return null;
      },
    ),
  ];
}

function lookSteps(before: State, defect: HandOver): Step[] {
  const { queue, application } = before;
  if (application.at === 'drowsy')
    return [
      taken(before, 'The application falls asleep.', (state) => {
        state.application.at = 'asleep';
        return null;
      }),
    ];
  if (queue.used === 0)
    return [
      taken(
        before,
        defect === 'lost-wake'
          ? 'The application finds no message.'
          : 'The application finds no message and sleeps.',
        (state) => {
          state.application.at = defect === 'lost-wake' ? 'drowsy' : 'asleep';
          return null;
        },
      ),
    ];
  const { slot, packet } = queue.places[queue.first] as Message;
  return [
    taken(
      before,
      `The application takes a message: packet ${packet}, in buffer ${slot}.`,
      (state) => {
        state.queue.first = (queue.first + 1) % queue.places.length;
        state.queue.used--;
        state.application = { ...state.application, at: 'first', slot, packet };
        return packet === before.read + 1 ? null : `packet ${before.read + 1} comes next`;
      },
    ),
  ];
}

function applicationSteps(before: State, defect: HandOver): Step[] {
  const { at, slot, packet, given } = before.application;
  if (at === 'asleep') return [];
  if (at === 'looks' || at === 'drowsy') return lookSteps(before, defect);
  if (at === 'gives')
    return [
      taken(
        before,
        `The application gives buffer ${slot} back${defect === 'given-twice' && given !== NONE ? `, and buffer ${given} again` : ''}.`,
        (state) => {
          Object.assign(bufferOf(state, slot), { isAdapters: true, note: 0 });
          if (defect === 'given-twice' && given !== NONE) bufferOf(state, given).isAdapters = true;
          state.application = { ...state.application, at: 'looks', given: slot };
          state.read++;
          return null;
        },
      ),
    ];
  const half = bufferOf(before, slot)[at];
  return [
    taken(
      before,
      `The application reads the ${at} half in buffer ${slot}, of packet ${half}.`,
      (state) => {
        state.application.at = at === 'first' ? 'second' : 'gives';
        return half === packet ? null : 'what is read is what was sent';
      },
    ),
  ];
}

/** Packets that are still to be read lie in buffers that are not the adapter's. */
function ownerBroken({ buffers, driver, queue, application }: State): boolean {
  const held = Array.from(
    { length: queue.used },
    (_, i) => queue.places[(queue.first + i) % queue.places.length] as Message,
  );
  if (application.at === 'first' || application.at === 'second') held.push(application);
  if (driver.at === 'protocol' || driver.at === 'put') held.push(driver);
  return held.some(({ slot, packet }) => packet > 0 && buffers[slot]?.isAdapters);
}

interface Node {
  readonly state: State;
  readonly text: string;
  readonly parent: Node | null;
  readonly depth: number;
}

function wayTo(node: Node | null): string[] {
  const steps: string[] = [];
  for (let at = node; at?.parent; at = at.parent) steps.push(at.text);
  return steps.reverse();
}

/** Tries every order; stops at the first rule that is broken. */
export function exploreHandOver(name: HandOver, size: HandOverSize): HandOverReport {
  const title = HAND_OVERS.find((one) => one.name === name)?.title ?? name;
  const root: Node = { state: start(size), text: '', parent: null, depth: 0 };
  const met = new Set([JSON.stringify(root.state)]);
  const open = [root];
  let [transitions, depth] = [0, 0];
  const ended = (broken: HandOverReport['broken']): HandOverReport => ({
    name,
    title,
    states: met.size,
    transitions,
    depth,
    broken,
  });
  for (let i = 0; i < open.length; i++) {
    const node = open[i] as Node;
    const { state } = node;
    depth = Math.max(depth, node.depth);
    const steps = [
      ...adapterSteps(state, name, size),
      ...driverSteps(state, name),
      ...applicationSteps(state, name),
    ];
    if (steps.length === 0 && state.read < size.messages)
      return ended({ rule: `all ${count(size.messages, 'packet')} are read`, steps: wayTo(node) });
    for (const step of steps) {
      transitions++;
      const next: Node = {
        state: step.state,
        text: step.text,
        parent: node,
        depth: node.depth + 1,
      };
      const rule =
        step.breaks ??
        (ownerBroken(step.state) ? 'a buffer that is still to be read is not the adapter’s' : null);
      if (rule !== null) return ended({ rule, steps: wayTo(next) });
      const key = JSON.stringify(step.state);
      if (met.has(key)) continue;
      met.add(key);
      open.push(next);
    }
  }
  return ended(null);
}
