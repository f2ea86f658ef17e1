/**
 * The caches' protocol for one line, implemented a second time from the rules of docs/model/hp.md, not from the
 * engine. No tables, no time, no event queue: a state is a value, and `next` lists its successors. Agents answer in
 * the order of address cycles, each when it likes; memory and owners give data when they like.
 */

type Held = 'invalid' | 'shared' | 'clean' | 'dirty';
/** Bits of the halves whose data is the newest. */
type Newest = number;

interface Data {
  readonly held: Held;
  readonly newest: Newest;
}

interface Miss {
  readonly wants: 'shared' | 'private';
  readonly stage: 'wanted' | 'issued' | 'ordered';
  /** The line's state on arrival: others may have requested it since it was ordered. */
  readonly becomes: 'shared' | 'private' | 'once';
  readonly othersShare: boolean;
  /** The agents that get the line from here once it has arrived. */
  readonly owes: number | null;
}

interface Cpu {
  readonly cache: Data;
  /** The access under way: -1 a load, else the half that is stored to. */
  readonly access: number | null;
  readonly miss: Miss | null;
  /** A changed line on its way to memory. */
  readonly leaving: Newest | null;
  /** Lines that others wait for. */
  readonly copies: readonly { readonly to: number; readonly newest: Newest }[];
}

interface Request {
  readonly from: number;
  readonly wants: 'shared' | 'private';
  /** Agents that have not answered. */
  readonly waits: readonly number[];
  readonly shared: boolean;
  readonly owned: boolean;
  /** The owner's copy, once it has passed. */
  readonly copy: Newest | null;
}

export interface ModelState {
  readonly memory: Newest;
  readonly cpus: readonly Cpu[];
  /** In the order of their address cycles. */
  readonly requests: readonly Request[];
}

const ALL = 3;
const NOTHING: Data = { held: 'invalid', newest: 0 };
const IDLE: Cpu = { cache: NOTHING, access: null, miss: null, leaving: null, copies: [] };

const firstState = (cpus: number): ModelState => ({
  memory: ALL,
  cpus: Array.from({ length: cpus }, () => IDLE),
  requests: [],
});

const withCpu = (state: ModelState, i: number, change: Partial<Cpu>): ModelState => ({
  ...state,
  cpus: state.cpus.map((cpu, k) => (k === i ? { ...cpu, ...change } : cpu)),
});

const withRequest = (state: ModelState, from: number, change: Partial<Request>): ModelState => ({
  ...state,
  requests: state.requests.map((one) => (one.from === from ? { ...one, ...change } : one)),
});

/** A store: its data is the newest, and all other copies are stale. */
function stored(state: ModelState, half: number): ModelState {
  const old = ~(1 << half);
  return {
    memory: state.memory & old,
    cpus: state.cpus.map((cpu) => ({
      ...cpu,
      cache: { ...cpu.cache, newest: cpu.cache.newest & old },
      leaving: cpu.leaving === null ? null : cpu.leaving & old,
      copies: cpu.copies.map((copy) => ({ ...copy, newest: copy.newest & old })),
    })),
    requests: state.requests.map((one) => ({
      ...one,
      copy: one.copy === null ? null : one.copy & old,
    })),
  };
}

const WANTED = { stage: 'wanted', becomes: 'once', othersShare: false, owes: null } as const;

/** The access of an idle processor, or one that waited. */
function access(state: ModelState, i: number, what: number): ModelState {
  const { cache, leaving } = state.cpus[i] as Cpu;
  const waiting = withCpu(state, i, { access: what });
  if (cache.held === 'invalid') {
    if (leaving !== null) return waiting; // until its own write-back is out
    return withCpu(waiting, i, { miss: { ...WANTED, wants: what < 0 ? 'shared' : 'private' } });
  }
  if (what < 0) return withCpu(state, i, { access: null });
  if (cache.held === 'shared')
    return withCpu(waiting, i, { cache: NOTHING, miss: { ...WANTED, wants: 'private' } });
  const now = stored(state, what);
  const newest = cache.newest | (1 << what);
  return withCpu(now, i, { access: null, cache: { held: 'dirty', newest } });
}

/** What an idle processor may do. */
function programs(state: ModelState, i: number): ModelState[] {
  const { access: busy, cache, leaving } = state.cpus[i] as Cpu;
  if (busy !== null) return [];
  const list = [-1, 0, 1].map((what) => access(state, i, what));
  if (cache.held === 'dirty' && leaving === null)
    list.push(withCpu(state, i, { cache: NOTHING, leaving: cache.newest }));
  if (cache.held === 'shared' || cache.held === 'clean')
    list.push(withCpu(state, i, { cache: NOTHING }));
  return list;
}

/** An agent's response to another's request: the next state of its copy. */
function snooped(state: ModelState, i: number, { from, wants }: Request): ModelState {
  const { miss, leaving, cache, copies } = state.cpus[i] as Cpu;
  const shares = withRequest(state, from, { shared: true });
  const owns = (now: ModelState) =>
    withRequest(now, from, { owned: true, ...(wants === 'shared' && { shared: true }) });
  if (miss?.stage === 'ordered' && miss.becomes !== 'once') {
    const private_ = miss.becomes === 'private';
    const next: Miss =
      wants === 'shared'
        ? { ...miss, becomes: 'shared', othersShare: true, owes: private_ ? from : miss.owes }
        : { ...miss, becomes: 'once', owes: private_ ? from : miss.owes };
    if (private_) return withCpu(owns(state), i, { miss: next });
    return withCpu(wants === 'shared' ? shares : state, i, { miss: next });
  }
  if (leaving !== null)
    return withCpu(owns(state), i, {
      leaving: null,
      copies: [...copies, { to: from, newest: leaving }],
    });
  if (cache.held === 'invalid') return state;
  const left: Data = wants === 'shared' ? { ...cache, held: 'shared' } : NOTHING;
  if (cache.held === 'dirty')
    return withCpu(owns(state), i, {
      cache: left,
      copies: [...copies, { to: from, newest: cache.newest }],
    });
  return withCpu(wants === 'shared' ? shares : state, i, { cache: left });
}

/** The agent's next request in order, if it has not answered all. */
function answers(state: ModelState, i: number): ModelState[] {
  const request = state.requests.find(({ waits }) => waits.includes(i));
  if (!request) return [];
  const { from, wants } = request;
  const answered = withRequest(state, from, { waits: request.waits.filter((k) => k !== i) });
  const { miss } = state.cpus[i] as Cpu;
  if (from !== i) return [snooped(answered, i, request)];
  if (!miss) throw new Error('a request without its miss');
  return [withCpu(answered, i, { miss: { ...miss, stage: 'ordered', becomes: wants } })];
}

/** The line has arrived: the access is executed, and agents that wait for the line get it from here. */
function filled(state: ModelState, request: Request, data: Newest): ModelState {
  const i = request.from;
  const { miss, access: what, copies } = state.cpus[i] as Cpu;
  if (!miss || what === null) throw new Error('a line for nobody');
  const { becomes, othersShare, owes } = miss;
  const shared = request.shared || othersShare;
  const held = { shared: shared ? 'shared' : 'clean', private: 'dirty', once: 'invalid' } as const;
  const rest = { ...state, requests: state.requests.filter((one) => one !== request) };
  const now = what < 0 ? rest : stored(rest, what);
  const newest = what < 0 ? data : data | (1 << what);
  return withCpu(now, i, {
    access: null,
    miss: null,
    cache: held[becomes] === 'invalid' ? NOTHING : { held: held[becomes], newest },
    copies: owes === null ? copies : [...copies, { to: owes, newest }],
  });
}

/** The oldest request may be given its line when all have answered; an owner's copy goes to memory as well. */
function served(state: ModelState): ModelState[] {
  const [request] = state.requests;
  if (!request || request.waits.length > 0) return [];
  if (!request.owned) return [filled(state, request, state.memory)];
  if (request.copy === null) return [];
  return [filled({ ...state, memory: request.copy }, request, request.copy)];
}

/** An agent's bus transactions, in this order: copies that others wait for, its write-back, its request. */
function tenures(state: ModelState, i: number): ModelState[] {
  const { copies, leaving, miss, access: waits } = state.cpus[i] as Cpu;
  const [copy, ...others] = copies;
  if (copy)
    return [withRequest(withCpu(state, i, { copies: others }), copy.to, { copy: copy.newest })];
  if (leaving !== null) {
    const gone = withCpu({ ...state, memory: leaving }, i, { leaving: null });
    return [waits === null ? gone : access(gone, i, waits)];
  }
  if (miss?.stage !== 'wanted') return [];
  const request: Request = {
    from: i,
    wants: miss.wants,
    waits: state.cpus.map((_, k) => k),
    shared: false,
    owned: false,
    copy: null,
  };
  const issued = withCpu(state, i, { miss: { ...miss, stage: 'issued' } });
  return [{ ...issued, requests: [...state.requests, request] }];
}

/**
 * Agents with a pending response that changes nothing: to their own request, or about a line they do not have. The
 * time of such a response is invisible.
 */
const passing = (state: ModelState): number =>
  state.cpus.findIndex(({ cache, leaving, miss }, i) => {
    const request = state.requests.find(({ waits }) => waits.includes(i));
    const nothing = cache.held === 'invalid' && leaving === null;
    return request && (request.from === i || (nothing && (!miss || miss.stage === 'wanted')));
  });

const next = (state: ModelState): ModelState[] => [
  ...state.cpus.flatMap((_, i) => [
    ...programs(state, i),
    ...answers(state, i),
    ...tenures(state, i),
  ]),
  ...served(state),
];

/**
 * The state after all responses that change nothing. A copy that has passed is available to its requester when all
 * have responded.
 */
function settled(state: ModelState): ModelState {
  for (let now = state; ; ) {
    const [oldest] = now.requests;
    const delivered = oldest && oldest.copy !== null ? served(now) : [];
    const [after] = delivered.length > 0 ? delivered : answers(now, passing(now));
    if (!after) return now;
    now = after;
  }
}

/** Every reachable state, with invisible events executed at once. */
export function reachable(cpus: number): ModelState[] {
  const first = firstState(cpus);
  const seen = new Map([[JSON.stringify(first), first]]);
  for (const state of seen.values())
    for (const step of next(state)) {
      const after = settled(step);
      const key = JSON.stringify(after);
      if (!seen.has(key)) seen.set(key, after);
    }
  return [...seen.values()];
}
