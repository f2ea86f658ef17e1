import { useEffect, useMemo, useState } from 'react';
import { percent, signedPercent, text, time } from '../../base/format';
import { loop } from '../../base/loop';
import { useAnswerMask, useHidesFuture } from '../../controllers/useAnswerMask';
import { runTime, useFrameValue, useRun } from '../../controllers/useRun';
import { useStore } from '../../controllers/useStore';
import { actorOf, signOf } from '../../draw/glyph';
import { rect } from '../../draw/shape';
import { asksAhead, hidesFuture } from '../../model/lesson/answer-mask';
import type { CompiledMachine } from '../../model/scenario/compiled';
import { player } from '../../model/session/open-run';
import { select, selection } from '../../model/session/selection';
import { session } from '../../model/session/session';
import {
  type Beside,
  CriticalPath as Path,
  type PathRow,
  type Piece,
  pathRows,
  type Reason,
  workOffPath,
} from '../../model/trace/critical-path';
import { nearestOperation, type Operation, operationEnding } from '../../model/trace/operations';
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
import { type FreeResult, freeEdits, timeIfFree } from './free-run';

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
  const pieces = usePieces(machine, trace, operation);
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
  const isShown = machine && trace && operation && pieces;
  return (
    <Panel
      title="Critical path"
      sub={operation && span(operation.to - operation.from)}
      tools={tools}
      scroll
      textAlternative={
        isShown ? <PathText {...{ machine, trace, operation, pieces }} /> : undefined
      }
    >
      {isOpen ? (
        <SealedPart what="what decided the time" />
      ) : isShown ? (
        <Waterfall key={operation.end} {...{ machine, trace, operation, pieces }} />
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

/** The pieces of the path; null until all causes have been followed, a slice in each frame. */
function usePieces(
  machine: CompiledMachine | null,
  trace: Trace | null,
  operation: Operation | null,
): readonly Piece[] | null {
  const path = useMemo(
    () => (machine && trace && operation ? new Path(machine, trace, operation) : null),
    [machine, trace, operation],
  );
  const [whole, setWhole] = useState<Path | null>(null);
  useEffect(() => {
    let alive = true;
    const follow = () => {
      if (!alive || !path) return;
      if (path.update()) setWhole(path);
      else loop.once('advance', follow);
    };
    follow();
    return () => {
      alive = false;
    };
  }, [path]);
  return path !== null && whole === path ? path.pieces : null;
}

interface PathProps {
  readonly machine: CompiledMachine;
  readonly trace: Trace;
  readonly operation: Operation;
  readonly pieces: readonly Piece[];
}

/** Most rows of what ran beside it. */
const MOST_BESIDE = 6;

function Waterfall({ machine, trace, operation, pieces }: PathProps) {
  const rows = useMemo(() => pathRows(pieces), [pieces]);
  const beside = useMemo(() => workOffPath(trace, pieces, operation), [trace, pieces, operation]);
  const others = useStore(asksAhead);
  const [results, setResults] = useState<ReadonlyMap<number, FreeResult | 'running'>>(new Map());
  const tell = (part: number, result: FreeResult | 'running') =>
    setResults((before) => new Map(before).set(part, result));
  const tryFree = async (part: number) => {
    const compiled = machine.parts[part];
    if (!compiled) return;
    tell(part, 'running');
    tell(part, await timeIfFree(compiled, trace, operation));
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

interface RowProps {
  readonly machine: CompiledMachine;
  readonly operation: Operation;
  readonly row: PathRow;
  readonly total: number;
  /** Null if runs of other settings are sealed, or the part has a row above. */
  readonly free: FreeResult | 'running' | 'offered' | null;
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
          ) : (
            <output>{free === 'running' ? 'running' : freeText(free, total)}</output>
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
function PathText({ machine, trace, operation, pieces }: PathProps) {
  const total = operation.to - operation.from;
  const rows = pathRows(pieces).map(
    ({ reason, part, timePs, pieces: own }) =>
      `${reason}, ${machine.parts[part]?.title}: ${span(timePs)}, ${shareOf(timePs, total)}, first at ${text(runTime(own[0]?.from ?? 0))}.`,
  );
  const beside = workOffPath(trace, pieces, operation).slice(0, MOST_BESIDE);
  return (
    <TextAlternative
      summary={`${trace.sentence(operation.end)} It took ${span(total)}, from ${text(runTime(operation.from))} to ${text(runTime(operation.to))}.`}
      sentences={[...rows, ...beside.map((one) => offPathText(machine, one))]}
    />
  );
}
