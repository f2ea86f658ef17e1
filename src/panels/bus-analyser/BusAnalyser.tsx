import { type KeyboardEvent, useMemo, useRef } from 'react';
import { createStore } from '../../base/store';
import { useCommands } from '../../controllers/useCommands';
import { useFrames, useRun } from '../../controllers/useRun';
import { useSize } from '../../controllers/useSize';
import { useStore } from '../../controllers/useStore';
import { actorOf } from '../../draw/glyph';
import {
  type AnalyserModel,
  analyserModel,
  columnAt,
  placeOfTime,
} from '../../draw/run/bus-analyser';
import {
  analyserHeight,
  analyserShapes,
  type Named,
  rowsIn,
} from '../../draw/run/bus-analyser-shapes';
import { columnText, legendText, transactionText } from '../../draw/run/bus-analyser-text';
import { type AnalysedBus, type BusTransaction, busesOf } from '../../model/coherence/bus-phases';
import type { CompiledMachine } from '../../model/scenario/compiled';
import { player } from '../../model/session/open-run';
import { session } from '../../model/session/session';
import { Button } from '../../widgets/Button';
import { EmptyState } from '../../widgets/Feedback';
import { Panel } from '../../widgets/Panel';
import { RovingGrid } from '../../widgets/RovingGrid';
import { Select } from '../../widgets/Select';
import { ShapeView } from '../../widgets/ShapeView';
import { SvgView } from '../../widgets/SvgView';
import { TextAlternative } from '../../widgets/TextAlternative';
import styles from './BusAnalyser.module.css';
import { saveWaves } from './saveWaves';
import { useAround } from './useAround';

/** Index of the bus shown among those of the machine; kept when the panel is closed. */
const chosen = createStore({ bus: 0 });

/** Traffic of a PCI or PCI-X bus around the playhead, clock by clock. */
export default function BusAnalyser() {
  useRun();
  const machine = useStore(session, (state) => state.machine);
  const { bus: at } = useStore(chosen);
  const buses = useMemo(() => (machine ? busesOf(machine) : []), [machine]);
  const bus = buses[at] ?? buses[0];
  if (!machine || !bus)
    return (
      <Panel title="Bus analyser">
        <EmptyState title="No PCI bus">This machine has none.</EmptyState>
      </Panel>
    );
  return <Analyser machine={machine} bus={bus} buses={buses} />;
}

interface AnalyserProps {
  readonly machine: CompiledMachine;
  readonly bus: AnalysedBus;
  readonly buses: readonly AnalysedBus[];
}

function Analyser({ machine, bus, buses }: AnalyserProps) {
  const { around, current, go } = useAround(machine, bus);
  const look = useMemo(() => {
    const { parts } = machine;
    return (part: number | null): Named => ({
      title: parts[part ?? -1]?.title ?? 'nobody',
      actor: actorOf(parts, part),
    });
  }, [machine]);
  useCommands([
    {
      id: 'bus.vcd',
      title: 'Save VCD',
      section: 'Session',
      hint: 'the recorded signals, for waveform viewers',
      keywords: ['export', 'wave', 'gtkwave', 'sigrok', 'bus'],
      run: () => void saveWaves(machine),
    },
  ]);
  const tools = (
    <>
      {buses.length > 1 && (
        <Select
          label="Bus"
          options={buses.map(({ title }, i) => ({ value: String(i), title }))}
          value={String(buses.indexOf(bus))}
          onChange={(value) => chosen.setState({ bus: Number(value) })}
        />
      )}
      <Button
        title="Saves the recorded signals as a file for waveform viewers"
        onClick={() => void saveWaves(machine)}
      >
        Save VCD
      </Button>
    </>
  );
  const textAlternative = (
    <TextAlternative
      summary={
        around.length > 0
          ? `${bus.title}, the transactions around the playhead.`
          : `No transaction on ${bus.title} yet.`
      }
      sentences={sentencesOf(around, current, look).map(({ seq, text, isNow, times }) => (
        <span key={seq}>
          {isNow && <b>Now: </b>}
          {text}
          {times > 1 && ` ${times} times, one after the other.`}
        </span>
      ))}
    />
  );
  return (
    <Panel title="Bus analyser" sub={bus.title} tools={tools} textAlternative={textAlternative}>
      <Drawing bus={bus} around={around} look={look} go={go}>
        {textAlternative}
      </Drawing>
    </Panel>
  );
}

interface TransactionSentence {
  readonly seq: number;
  readonly text: string;
  readonly isNow: boolean;
  readonly times: number;
}

/** A sentence for each transaction; consecutive equal ones, such as retries, are merged. */
function sentencesOf(
  around: readonly BusTransaction[],
  current: number,
  look: DrawingProps['look'],
): TransactionSentence[] {
  const list: TransactionSentence[] = [];
  for (const [i, one] of around.entries()) {
    const text = transactionText(one, look(one.master).title);
    const [last, isNow] = [list.at(-1), i === current];
    if (last && last.text === text && !isNow && !last.isNow)
      list[list.length - 1] = { ...last, times: last.times + 1 };
    else list.push({ seq: one.seq, text, isNow, times: 1 });
  }
  return list;
}

interface DrawingProps extends Pick<ReturnType<typeof useAround>, 'around' | 'go'> {
  readonly bus: AnalysedBus;
  readonly look: (part: number | null) => Named;
  /** The transactions in words, shown beside the drawing if there is room. */
  readonly children: React.ReactNode;
}

const [LABELS, FOOT] = [76, 18];
/** From this height on, the words are below the drawing. */
const ROOMY = 480;

function Drawing({ bus, around, look, go, children }: DrawingProps) {
  const [box, { width, height }] = useSize();
  const playheadPs = around.length > 0 ? player.now().timePs : 0;
  // The strip does not change while the playhead is within one transaction.
  // biome-ignore lint/correctness/useExhaustiveDependencies: `around` changes when the playhead leaves the transaction
  const model = useMemo(
    () => analyserModel({ bus, around, playheadPs, left: LABELS, width: width - 8 }),
    [bus, around, width],
  );
  const rows = useMemo(() => rowsIn(height - FOOT), [height]);
  const shapes = useMemo(() => analyserShapes(model, rows, look), [model, rows, look]);
  return (
    <div className={styles.box} ref={box}>
      {around.length === 0 && (
        <EmptyState title="Nothing on the bus yet">Run on to its first transaction.</EmptyState>
      )}
      {width > 0 && model.columns.length > 0 && (
        <Strip model={model} look={look} go={go} height={analyserHeight(rows.length)}>
          <ShapeView shapes={shapes} />
        </Strip>
      )}
      <p className={styles.legend}>{legendText(bus)}</p>
      {height > ROOMY && children}
    </div>
  );
}

interface StripProps extends Pick<DrawingProps, 'look' | 'go'> {
  readonly model: AnalyserModel;
  readonly height: number;
  readonly children: React.ReactNode;
}

/** One tab stop: arrow keys walk the clocks, Enter moves the playhead, brackets go by transactions. */
function Strip({ model, height, look, go, children }: StripProps) {
  const { columns, transactions, width } = model;
  const describe = (column: number): string => {
    const found = columns[column];
    const of = transactions[found?.transaction ?? -1];
    return found ? columnText(model, found, look(of?.master ?? null).title) : '';
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== '[' && event.key !== ']') return;
    event.preventDefault();
    go(event.key === ']' ? 1 : -1);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the grid inside takes the focus
    <div className={styles.strip} style={{ height }} onKeyDown={onKeyDown}>
      <RovingGrid
        label="Clocks of the bus: arrows move the cursor, Enter moves the playhead, brackets go from transaction to transaction"
        rows={1}
        columns={columns.length}
        describe={({ column }) => describe(column)}
        cellAt={(x) => {
          const column = columnAt(model, x);
          return column === null ? null : { row: 0, column };
        }}
        onPoint={() => {}}
        onChoose={({ column }) => toColumn(model, column)}
        onLeave={(by) => go(by > 0 ? 1 : -1)}
      >
        <SvgView width={width + 8} height={height}>
          {children}
          <Playhead model={model} height={height} />
        </SvgView>
      </RovingGrid>
    </div>
  );
}

function toColumn({ columns }: AnalyserModel, column: number): void {
  const found = columns[column];
  if (!found) return;
  player.pause();
  void player.toTime(found.fromPs);
}

/** Updated without React. */
function Playhead({ model, height }: { readonly model: AnalyserModel; readonly height: number }) {
  const playhead = useRef<SVGPathElement>(null);
  useFrames('dom', () => {
    const x = placeOfTime(model, player.now().timePs);
    playhead.current?.setAttribute('d', x === null ? '' : `M${x} 14V${height - 24}`);
  });
  return <path ref={playhead} className="playhead" />;
}
