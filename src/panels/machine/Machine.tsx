import { useEffect, useMemo, useRef } from 'react';
import { navigate } from '../../base/route';
import { shell } from '../../base/shell';
import { coherentLog, pointedPlaces, selectedPlaces } from '../../controllers/useCoherent';
import { useLiveGroup } from '../../controllers/useLiveGroup';
import { useReasons } from '../../controllers/useReasons';
import { useFrameValue, useRun } from '../../controllers/useRun';
import { useSize } from '../../controllers/useSize';
import { useStore } from '../../controllers/useStore';
import { coversTlb, fights } from '../../draw/coherent/tlb-map';
import { reasonMark, selectionTicks } from '../../draw/glyph';
import { worstFight } from '../../draw/machine/adapter';
import { layoutCompact, layoutMachine, SHEET } from '../../draw/machine/layout';
import { legendShapes } from '../../draw/machine/legend';
import { machineNow, partShapes, wireShapes } from '../../draw/machine/machine';
import { drawnViews, momentOf } from '../../draw/machine/moment';
import { partSentence } from '../../draw/machine/text';
import type { Look, MachineLayout, Moment, PlacedPart } from '../../draw/machine/types';
import { coherentMachine } from '../../model/coherent/coherent';
import { veil } from '../../model/lesson/veil';
import type { CompiledMachine } from '../../model/scenario/compile';
import { player } from '../../model/session/opened';
import { presentSentence } from '../../model/session/present';
import { point, pointed, select, selection } from '../../model/session/selection';
import { session } from '../../model/session/session';
import { Button } from '../../widgets/Button';
import { EmptyState } from '../../widgets/Feedback';
import { Panel } from '../../widgets/Panel';
import { ShapeView } from '../../widgets/ShapeView';
import { SvgView } from '../../widgets/SvgView';
import { TextTwin } from '../../widgets/TextTwin';
import styles from './Machine.module.css';

/** Below this scale texts would be too small: the narrow drawing takes over. */
const LEAST_SCALE = 0.9;
const MOST_SCALE = 1.6;
/** Room under the drawing from which on the present event is told there. */
const NOW_HEIGHT = 120;

/** The machine, drawn from its netlist, as it stands at the needle. */
export default function Machine() {
  useRun();
  const machine = useStore(session, (state) => state.machine);
  const box = useRef<HTMLDivElement>(null);
  const { width, height } = useSize(box);
  return (
    <Panel
      title="Machine"
      tools={machine && coherentMachine(machine).caches.length > 0 && <ProveIt />}
      twin={machine && <MachineText machine={machine} />}
    >
      <div className={styles.box} ref={box}>
        {machine && width > 0 ? (
          <Drawing machine={machine} width={width} height={height} />
        ) : (
          <EmptyState title="No machine">Open a scenario to see one.</EmptyState>
        )}
      </div>
    </Panel>
  );
}

/** Where the same caches and the same bus are taken through all that can happen. */
function ProveIt() {
  return (
    <Button look="link" onClick={() => navigate({ view: 'prove' })}>
      Prove it, break it
    </Button>
  );
}

interface DrawingProps {
  readonly machine: CompiledMachine;
  readonly width: number;
  readonly height: number;
}

function fittingLayout({ machine, width, height }: DrawingProps): MachineLayout {
  const full = layoutMachine(machine);
  const scale = Math.min(width / full.width, height / full.height);
  return scale >= LEAST_SCALE || width > SHEET.width
    ? full
    : layoutCompact(machine, Math.max(300, width));
}

function Drawing(props: DrawingProps) {
  const { machine, width, height } = props;
  const layout = useMemo(() => fittingLayout({ machine, width, height }), [machine, width, height]);
  useEffect(() => player.want(drawnViews(layout)), [layout]);
  const lecture = useStore(shell, (state) => state.lecture);
  // In a lecture hall it takes what room there is, and what happens now stands large below it.
  const most = lecture ? Number.POSITIVE_INFINITY : MOST_SCALE;
  const fitting = Math.min(width / layout.width, height / layout.height, most);
  const scale = layout.compact
    ? Math.max(fitting, Math.min(LEAST_SCALE, width / layout.width))
    : fitting;
  return (
    <>
      <SvgView
        width={layout.width}
        height={layout.height}
        label="Machine"
        interactive
        className={styles.drawing}
        style={{ width: layout.width * scale, height: layout.height * scale }}
      >
        <ShapeView shapes={wireShapes(layout)} />
        {layout.parts.map((part) => (
          <Part key={part.index} part={part} />
        ))}
        <Live layout={layout} machine={machine} />
        <ShapeView shapes={legendShapes(layout)} />
        <Ticks layout={layout} />
        <Reasons layout={layout} />
      </SvgView>
      {!lecture && (layout.compact || height - layout.height * scale > NOW_HEIGHT) && <Now />}
    </>
  );
}

/** Where there is room under the drawing, it says what happens. */
function Now() {
  const sentence = useFrameValue(presentSentence);
  return <p className={styles.now}>{sentence || 'The run stands at its beginning.'}</p>;
}

/** A part can be pointed at, focused and selected; everything about it follows the selection. */
function Part({ part }: { readonly part: PlacedPart }) {
  const { index } = part;
  const selected = useStore(selection, (state) => state.part === index);
  const marked = useStore(pointed, (state) => state.part === index);
  const toggle = () => select(selected ? {} : { part: index });
  return (
    // biome-ignore lint/a11y/useSemanticElements: a button cannot stand inside a drawing
    <g
      role="button"
      tabIndex={0}
      aria-pressed={selected}
      aria-label={part.part.title}
      className={styles.part}
      data-part={index}
      onClick={toggle}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' && event.key !== ' ') return;
        event.preventDefault();
        toggle();
      }}
      onPointerEnter={() => point({ part: index })}
      onPointerLeave={() => point({})}
    >
      <ShapeView shapes={partShapes(part, selected)} />
      {marked && <rect className={styles.marked} {...part.box} />}
    </g>
  );
}

interface LiveProps {
  readonly layout: MachineLayout;
  readonly machine: CompiledMachine;
}

function momentNow(machine: CompiledMachine): Moment | null {
  const [frame, trace] = [player.frame(), player.trace()];
  if (!frame || !trace || frame.counters.length !== machine.parts.length) return null;
  const covers = veil.getState()?.covers;
  return momentOf({ parts: machine.parts, frame, trace, now: player.now(), covers });
}

/** What the reader looks at, and what the record says is fought over. */
function lookNow({ roles }: MachineLayout, now: Moment): Look {
  const log = roles.tlb && !coversTlb(roles.tlb, now) ? coherentLog(roles) : null;
  return {
    selected: selectedPlaces(roles),
    pointed: pointedPlaces(roles),
    fought: log ? worstFight(fights(roles, log, player.now().seq)) : null,
  };
}

/** What moves, written into the drawing past React. */
function Live({ layout, machine }: LiveProps) {
  const group = useLiveGroup(() => {
    const now = momentNow(machine);
    const still = shell.getState().reducedMotion;
    return now ? machineNow(layout, now, still, lookNow(layout, now)) : [];
  });
  return <g ref={group} className={styles.live} />;
}

function Ticks({ layout }: { readonly layout: MachineLayout }) {
  const selected = useStore(selection, (state) => state.part);
  const part = layout.parts.find(({ index }) => index === selected);
  return part ? <ShapeView shapes={selectionTicks(part.box)} /> : null;
}

/** The numbers of the reasons, each at the part where it happened. */
function Reasons({ layout }: { readonly layout: MachineLayout }) {
  const reasons = useReasons();
  const used = new Map<number, number>();
  const shapes = reasons.flatMap(({ number, part }) => {
    const own = layout.parts.find(({ index }) => index === part);
    // What lies inside another part shares its corner: there the number lies on no words.
    const placed = layout.parts.find(({ index }) => index === own?.host) ?? own;
    if (!placed) return [];
    const before = used.get(placed.index) ?? 0;
    used.set(placed.index, before + 1);
    return reasonMark(placed.box.x + before * 17, placed.box.y, number);
  });
  return (
    <g className={styles.live}>
      <ShapeView shapes={shapes} />
    </g>
  );
}

/** The drawing as sentences, one for each part. */
function MachineText({ machine }: { readonly machine: CompiledMachine }) {
  const layout = useMemo(() => layoutMachine(machine), [machine]);
  const text = useFrameValue(() => {
    const now = momentNow(machine);
    return now ? layout.parts.map((part) => partSentence(layout, part, now)).join('\n') : '';
  });
  useEffect(() => player.want(drawnViews(layout)), [layout]);
  return <TextTwin summary="What each part does at the needle." sentences={text.split('\n')} />;
}
