import { useEffect, useMemo, useState } from 'react';
import { count } from '../../base/format';
import { useSize } from '../../controllers/useSize';
import { useStore } from '../../controllers/useStore';
import { layoutFitting, layoutMachine, SHEET } from '../../draw/machine/layout';
import { machineNow, partShapes, wireShapes } from '../../draw/machine/machine';
import { momentOf } from '../../draw/machine/moment';
import { partSentence } from '../../draw/machine/text';
import type { MachineLayout } from '../../draw/machine/types';
import type { Moment } from '../../draw/moment';
import { differentWords, ghostPools, ghostShapes } from '../../draw/run/ghost';
import { poolMapOf } from '../../model/pools/pool-bitmap';
import { poolViewsOf } from '../../model/pools/pool-views';
import type { Side } from '../../model/report/comparison';
import type { CompiledMachine } from '../../model/scenario/compiled';
import { EmptyState } from '../../widgets/Feedback';
import { Section } from '../../widgets/Section';
import { Segmented } from '../../widgets/Segmented';
import { ShapeView } from '../../widgets/ShapeView';
import { SvgView } from '../../widgets/SvgView';
import '../../widgets/states.css';
import styles from './Compare.module.css';
import { CounterRows } from './CounterTable';
import { comparing } from './comparing';
import { ComparisonHeaders } from './Heads';
import { followMoments, moments, type SideNow } from './moments';

const ORDERS = [
  { value: 'ab', title: 'A, ghost of B' },
  { value: 'ba', title: 'B, ghost of A' },
] as const;

const haveSameParts = (a: CompiledMachine, b: CompiledMachine): boolean =>
  a.parts.length === b.parts.length &&
  a.parts.every(
    ({ name, type }, i) => b.parts[i]?.name === name && b.parts[i]?.type.name === type.name,
  );

/** Both machines at the playhead in one drawing, and what differs in it. */
export function Together() {
  const [order, setOrder] = useState('ab');
  const { a, b } = useStore(moments);
  useEffect(followMoments, []);
  if (!a || !b)
    return (
      <EmptyState title="Not there yet">Both runs have begun where the playhead is.</EmptyState>
    );
  if (!haveSameParts(a.machine, b.machine))
    return (
      <EmptyState title="Different machines">
        A has parts that B does not have, so one cannot be drawn over the other.
      </EmptyState>
    );
  const [shown, other] = order === 'ab' ? (['a', 'b'] as const) : (['b', 'a'] as const);
  return (
    <>
      <div className={styles.order}>
        <Segmented label="In front" options={ORDERS} value={order} onChange={setOrder} />
        <span>Dashed: only in {other.toUpperCase()}.</span>
      </div>
      <Both {...{ shown, other }} now={{ a, b }} />
    </>
  );
}

interface BothProps {
  readonly shown: 'a' | 'b';
  readonly other: 'a' | 'b';
  readonly now: Readonly<Record<'a' | 'b', SideNow>>;
}

function momentIn(run: Side | null, { machine, frame, timePs }: SideNow) {
  const trace = run?.recording?.trace;
  const now = { ...frame, timePs };
  return trace ? momentOf({ parts: machine.parts, frame, trace, now }) : null;
}

const sentencesOf = (layout: MachineLayout, now: Moment): string[] =>
  layout.parts.map((part) => partSentence(layout, part, now));

const useLayout = (machine: CompiledMachine, width: number): MachineLayout =>
  useMemo(
    () =>
      width >= SHEET.width * 0.8
        ? layoutMachine(machine, true)
        : layoutFitting(machine, Math.max(300, width), 600),
    [machine, width],
  );

function Both({ shown, other, now }: BothProps) {
  const runs = useStore(comparing.state);
  const [box, { width }] = useSize();
  // Each with its own programs, in the same places.
  const [layout, theirs] = [
    useLayout(now[shown].machine, width),
    useLayout(now[other].machine, width),
  ];
  const [front, ghost] = [momentIn(runs[shown], now[shown]), momentIn(runs[other], now[other])];
  if (!front || !ghost) return <div ref={box} />;
  const shapes = machineNow(layout, front, true);
  const words = differentWords(sentencesOf(layout, front), sentencesOf(theirs, ghost));
  const [A, B] = [shown.toUpperCase(), other.toUpperCase()];
  return (
    <div ref={box} className={styles.together}>
      <SvgView
        width={layout.width}
        height={layout.height}
        fit="width"
        label={`The machine of ${A} at the playhead, with what only ${B} shows as dashed outlines; ${count(words.length, 'part')} differ, as listed below`}
      >
        <ShapeView shapes={wireShapes(layout)} />
        <ShapeView shapes={layout.parts.flatMap((part) => partShapes(part, false))} />
        <ShapeView shapes={shapes} />
        <g className={styles.ghost}>
          <ShapeView shapes={ghostShapes(shapes, machineNow(theirs, ghost, true))} />
        </g>
      </SvgView>
      <Pools {...{ shown, other, now, width }} />
      <Section title="What the parts do" aside={words.length === 0 ? 'the same in both' : ''}>
        {words.length > 0 && (
          <table className={styles.table}>
            <ComparisonHeaders titles={[A, B]} rest={0} />
            <tbody>
              {words.map((row) => (
                <tr key={row.title}>
                  <th scope="row">{row.title}</th>
                  <td>{row.shown}</td>
                  <td>{row.other}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </Section>
      <CounterRows
        title="Counters at the playhead"
        a={{ machine: now.a.machine, values: now.a.frame.counters.flatMap((own) => [...own]) }}
        b={{ machine: now.b.machine, values: now.b.frame.counters.flatMap((own) => [...own]) }}
      />
    </div>
  );
}

function Pools({ shown, other, now, width }: BothProps & { readonly width: number }) {
  const [front, ghost] = [now[shown], now[other]].map(({ machine, frame }) => {
    const found = poolViewsOf(machine);
    return found && poolMapOf(found, frame);
  });
  if (!front || !ghost || width === 0) return null;
  const sheet = ghostPools(front, ghost, width);
  const [A, B] = [shown.toUpperCase(), other.toUpperCase()];
  const counts = `${count(sheet.counts.shown, 'entry', 'entries')} in use only in ${A}, ${count(sheet.counts.other, 'entry', 'entries')} only in ${B}`;
  return (
    <Section title={`Pools of ${A}`} aside={counts}>
      <SvgView width={width} height={sheet.height} label={`The pools of ${A}: ${counts}`}>
        {sheet.names.map(({ text, y }) => (
          <text key={text} x={0} y={y} className="i3">
            {text}
          </text>
        ))}
        <g className={styles.inBoth}>
          <ShapeView shapes={sheet.both} />
        </g>
        <g className={styles.inFront}>
          <ShapeView shapes={sheet.shown} />
        </g>
        <g className={styles.ghost}>
          <ShapeView shapes={sheet.other} />
        </g>
      </SvgView>
    </Section>
  );
}
