import { useEffect, useMemo, useState } from 'react';
import { integer, percent, signedPercent, text, time } from '../../base/format';
import { showToast } from '../../base/notices';
import { useAnswerMask, useHidesFuture } from '../../controllers/useAnswerMask';
import { runTime, useFrameValue, useRun } from '../../controllers/useRun';
import { useStore } from '../../controllers/useStore';
import { actorOf, signOf } from '../../draw/glyph';
import { rect } from '../../draw/shape';
import { asksAhead, hidesFuture } from '../../model/lesson/answer-mask';
import { type CompiledMachine, tracedMachine } from '../../model/scenario/compiled';
import type { FreeProgress, FreeResult } from '../../model/session/free-run';
import { player } from '../../model/session/open-run';
import { pathWorkers } from '../../model/session/path-page';
import type { OperationPath } from '../../model/session/path-work';
import { select, selection } from '../../model/session/selection';
import { session } from '../../model/session/session';
import { type Beside, type PathRow, type Piece, pathRows } from '../../model/trace/critical-path';
import { nearestOperation, type Operation, operationEnding } from '../../model/trace/operations';
import type { Reason } from '../../model/trace/path-reasons';
import type { Trace } from '../../model/trace/trace';
import { ActorSign } from '../../widgets/ActorSign';
import { Button, IconButton } from '../../widgets/Button';
import { EmptyState } from '../../widgets/Feedback';
import { SealedPart } from '../../widgets/Masked';
import { Panel } from '../../widgets/Panel';
import { ShapeView } from '../../widgets/ShapeView';
import { SvgView } from '../../widgets/SvgView';
import { TextAlternative } from '../../widgets/TextAlternative';
import styles from './CriticalPath.module.css';
import { freeEdits, timeIfFree } from './free-run';

const span = (ps: number): string => text(time(ps, 4));

/** What is on the path is never nothing of it. */
const shareOf = (ps: number, total: number): string => {
  const value = (100 * ps) / total;
  return value > 0 && value < 1 ? `< ${percent(1)}` : percent(value);
};

/** The operation that the selected record ends; else the last one up to the playhead. */
function operationNow(machine: CompiledMachine): Operation | null {
  const trace = player.trace();
  const { event } = selection.getState();
  const { seq } = player.now();
  if (!trace) return null;
  const isSealed = hidesFuture.getState() && (event ?? 0) > seq;
  const chosen = event === null || isSealed ? null : operationEnding(machine, trace, event);
  return chosen ?? nearestOperation(machine, trace, seq, -1, seq);
}

/** The same object while it is the same operation. */
let shown: { trace: Trace | null; operation: Operation | null } = { trace: null, operation: null };

function shownOperation(machine: CompiledMachine): Operation | null {
  const [trace, operation] = [player.trace(), operationNow(machine)];
  if (trace !== shown.trace || operation?.end !== shown.operation?.end)
    shown = { trace, operation };
  return shown.operation;
}

/** The chain that decided how long a transfer, call or task took, and what ran beside it. */
export default function CriticalPath() {
  useRun();
  const machine = useStore(session, (state) => state.machine);
  useStore(player.state, (state) => state.recorded);
  const event = useStore(selection, (state) => state.event);
  const isOpen = useAnswerMask() !== null;
  const ahead = useHidesFuture();
  // A selection changes it as a frame does.
  const operation = useFrameValue(() =>
    machine && !isOpen && event !== undefined ? shownOperation(machine) : null,
  );
  const trace = player.trace();
  const followed = useFollowed(machine, trace, operation);
  const go = (by: 1 | -1) => {
    if (!machine || !trace) return;
    const from = operation ? operation.end + by : player.now().seq;
    const found = nearestOperation(machine, trace, from, by, ahead ? player.now().seq : trace.last);
    if (!found) return;
    player.pause();
    select({ part: found.part, event: found.end });
    if (!ahead) void player.toTime(found.to);
  };
  const tools = !isOpen && (
    <>
      <IconButton icon="previous" label="Previous operation" onClick={() => go(-1)} />
      <IconButton icon="next" label="Next operation" onClick={() => go(1)} />
    </>
  );
  const path = machine && followed && { machine, ...followed };
  return (
    <Panel
      title="Critical path"
      sub={path && span(path.operation.to - path.operation.from)}
      tools={tools}
      scroll
      textAlternative={path ? <PathText {...path} /> : undefined}
    >
      {isOpen ? (
        <SealedPart what="what decided the time" />
      ) : path ? (
        <Waterfall key={path.operation.end} {...path} />
      ) : operation ? (
        <p className={styles.wait}>Following the causes</p>
      ) : (
        <EmptyState title="No transfer, call or task has ended yet">
          <Button look="link" onClick={() => go(1)}>
            Go to the first
          </Button>
        </EmptyState>
      )}
    </Panel>
  );
}

/** An operation with its path. */
interface Followed extends OperationPath {
  readonly operation: Operation;
  readonly trace: Trace;
}

/** What the worker was given: records are sent once. */
let sent: { trace: Trace; first: number; last: number } | null = null;

function follow(machine: CompiledMachine, trace: Trace, operation: Operation) {
  const { first, last } = trace;
  const isSent = sent?.trace === trace && sent.first === first && sent.last === last;
  sent = { trace, first, last };
  const load = isSent ? null : { machine: tracedMachine(machine), records: trace.copy() };
  return pathWorkers.follow({ load, operation });
}

/** The path of an operation; until it is followed, the path before it. Null if there is none of this run. */
function useFollowed(
  machine: CompiledMachine | null,
  trace: Trace | null,
  operation: Operation | null,
): Followed | null {
  const [followed, setFollowed] = useState<Followed | null>(null);
  useEffect(() => {
    if (!machine || !trace || !operation) return;
    let alive = true;
    follow(machine, trace, operation)
      .then((path) => alive && path && setFollowed({ ...path, operation, trace }))
      .catch((error) => {
        sent = null;
        showToast(`The causes could not be followed: ${error.message}`);
      });
    return () => {
      alive = false;
    };
  }, [machine, trace, operation]);
  return operation && followed?.trace === trace ? followed : null;
}

interface PathProps extends Followed {
  readonly machine: CompiledMachine;
}

/** Most rows of what ran beside it. */
const MOST_BESIDE = 6;

function Waterfall({ machine, trace, operation, pieces, beside }: PathProps) {
  const rows = useMemo(() => pathRows(pieces), [pieces]);
  const others = useStore(asksAhead);
  const [results, setResults] = useState<ReadonlyMap<number, FreeState>>(new Map());
  const tell = (part: number, result: FreeState) =>
    setResults((before) => new Map(before).set(part, result));
  const [leaving] = useState(() => new AbortController());
  useEffect(() => () => leaving.abort(), [leaving]);
  const tryFree = async (part: number) => {
    const compiled = machine.parts[part];
    if (!compiled) return;
    const stopping = new AbortController();
    const signal = AbortSignal.any([stopping.signal, leaving.signal]);
    const onProgress = ({ events }: FreeProgress) =>
      tell(part, { events, stop: () => stopping.abort() });
    onProgress({ events: 0 });
    tell(part, (await timeIfFree(compiled, trace, operation, onProgress, signal)) ?? 'offered');
  };
  const total = operation.to - operation.from;
  return (
    <div className={styles.body}>
      <h3>{trace.sentence(operation.end)}</h3>
      <ol className={styles.rows}>
        {rows.map((row, index) => (
          <Row
            key={`${row.part} ${row.reason}`}
            {...{ machine, operation, row, total }}
            free={
              others || rows.findIndex(({ part }) => part === row.part) < index
                ? null
                : (results.get(row.part) ?? 'offered')
            }
            onFree={() => void tryFree(row.part)}
          />
        ))}
      </ol>
      {beside.length > 0 && (
        <>
          <h4>Beside it</h4>
          <ol className={styles.rows} data-beside>
            {beside.slice(0, MOST_BESIDE).map((one) => (
              <li key={`${one.part} ${one.track}`}>
                <span className={styles.head}>
                  <ActorSign actor={actorOf(machine.parts, one.part)} />
                  <span>{machine.parts[one.part]?.title}</span>
                  <em>{one.state}</em>
                  <b>{span(one.timePs)}</b>
                </span>
                <Strip operation={operation} spans={one.spans} cls="l2f" />
              </li>
            ))}
          </ol>
        </>
      )}
    </div>
  );
}

/** A run with a part free: its result, how far it is, or that it can be made. */
type FreeState = FreeResult | { readonly events: number; stop(): void } | 'offered';

interface RowProps {
  readonly machine: CompiledMachine;
  readonly operation: Operation;
  readonly row: PathRow;
  readonly total: number;
  /** Null if runs of other settings are sealed, or the part has a row above. */
  readonly free: FreeState | null;
  onFree(): void;
}

const WAITS: readonly Reason[] = ['queue', 'arbitration'];

/** The longest piece of a row. */
const longestOf = ({ pieces }: PathRow): Piece | undefined =>
  pieces.toSorted((a, b) => b.to - b.from - (a.to - a.from))[0];

function Row({ machine, operation, row, total, free, onFree }: RowProps) {
  const part = machine.parts[row.part];
  const actor = actorOf(machine.parts, row.part);
  const canBeFree = useMemo(() => part && Object.keys(freeEdits(part)).length > 0, [part]);
  const toLongest = () => {
    const longest = longestOf(row);
    if (!longest) return;
    player.pause();
    void player.toTime(longest.from);
  };
  return (
    <li>
      <span className={styles.head}>
        <ActorSign actor={actor} />
        <Button look="link" title="Go to its longest piece" onClick={toLongest}>
          {row.reason}, {part?.title}
        </Button>
        <em>{shareOf(row.timePs, total)}</em>
        <b>{span(row.timePs)}</b>
      </span>
      <Strip
        operation={operation}
        spans={row.pieces}
        cls={WAITS.includes(row.reason) ? 'waitf' : `a-${signOf(actor).hue}`}
      />
      {free !== null && canBeFree && (
        <span className={styles.free}>
          {free === 'offered' ? (
            <Button
              look="link"
              title="Runs the machine with every time of this part at its least, and its clock and rates at their most"
              onClick={onFree}
            >
              If {part?.title} were free
            </Button>
          ) : 'stop' in free ? (
            <>
              running, {integer(free.events)} events{' '}
              <Button look="link" onClick={free.stop}>
                Stop
              </Button>
            </>
          ) : (
            <output>{freeText(free, total)}</output>
          )}
        </span>
      )}
    </li>
  );
}

const freeText = (result: FreeResult, total: number): string =>
  result.problem !== null
    ? `were it free: not known, ${result.problem}`
    : span(result.timePs) === span(total)
      ? 'were it free: no change'
      : `were it free: ${span(result.timePs)}, ${signedPercent((100 * (result.timePs - total)) / total)}`;

const [WIDTH, HEIGHT] = [1000, 10];
/** Thinnest bar. */
const THIN = 2;

interface StripProps {
  readonly operation: Operation;
  readonly spans: readonly { readonly from: number; readonly to: number }[];
  readonly cls: string;
}

/** Times within the operation; those closer than a bar is wide are one. */
function Strip({ operation: { from, to }, spans, cls }: StripProps) {
  const shapes = useMemo(() => {
    const at = (ps: number) => ((ps - from) / (to - from)) * WIDTH;
    const bars: { x: number; end: number }[] = [];
    for (const one of spans) {
      const [x, end] = [at(one.from), Math.max(at(one.to), at(one.from) + THIN)];
      const last = bars.at(-1);
      if (last && x <= last.end) last.end = Math.max(last.end, end);
      else bars.push({ x, end });
    }
    return bars.map(({ x, end }) => rect(x, 0, end - x, HEIGHT, cls));
  }, [from, to, spans, cls]);
  return (
    <SvgView
      width={WIDTH}
      height={HEIGHT}
      fit="contain"
      preserveAspectRatio="none"
      className={styles.strip}
    >
      <ShapeView shapes={shapes} />
    </SvgView>
  );
}

const offPathText = (machine: CompiledMachine, { part, state, timePs }: Beside): string =>
  `Beside it ${machine.parts[part]?.title}: ${span(timePs)}, most of it ${state}.`;

/** The path in sentences: what it was, its rows, and what ran beside it. */
function PathText({ machine, trace, operation, pieces, beside: all }: PathProps) {
  const total = operation.to - operation.from;
  const rows = pathRows(pieces).map(
    ({ reason, part, timePs, pieces: own }) =>
      `${reason}, ${machine.parts[part]?.title}: ${span(timePs)}, ${shareOf(timePs, total)}, first at ${text(runTime(own[0]?.from ?? 0))}.`,
  );
  const beside = all.slice(0, MOST_BESIDE);
  return (
    <TextAlternative
      summary={`${trace.sentence(operation.end)} It took ${span(total)}, from ${text(runTime(operation.from))} to ${text(runTime(operation.to))}.`}
      sentences={[...rows, ...beside.map((one) => offPathText(machine, one))]}
    />
  );
}
