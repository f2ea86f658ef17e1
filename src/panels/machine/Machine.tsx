import { useEffect, useMemo } from 'react';
import { loop } from '../../base/loop';
import { navigate } from '../../base/route';
import { shell } from '../../base/shell-state';
import { hasOwners } from '../../controllers/machine-features';
import { stateLegend } from '../../controllers/state-legend';
import { useCauses } from '../../controllers/useCauses';
import { useMachineViews } from '../../controllers/useCoherence';
import { useComparisonRun } from '../../controllers/useComparisonRun';
import { useLiveGroup } from '../../controllers/useLiveShapes';
import { useFrameValue, useRun } from '../../controllers/useRun';
import { useSize } from '../../controllers/useSize';
import { useStore } from '../../controllers/useStore';
import { reasonMark, selectionTicks } from '../../draw/glyph';
import { REASON_PITCH } from '../../draw/machine/gauge';
import { layoutFitting, layoutMachine, SHEET } from '../../draw/machine/layout';
import { legendShapes } from '../../draw/machine/legend';
import { partShapes, wireShapes } from '../../draw/machine/machine';
import { partSentence } from '../../draw/machine/text';
import type { MachineLayout, PlacedPart } from '../../draw/machine/types';
import { comparisonShapes } from '../../draw/realtime/comparison-machine';
import { coherentMachine } from '../../model/coherence/coherence-roles';
import type { CompiledMachine } from '../../model/scenario/compiled';
import { player } from '../../model/session/open-run';
import { currentEventSentence } from '../../model/session/presented-event';
import { markedParts, point, pointed, select, selection } from '../../model/session/selection';
import { session } from '../../model/session/session';
import { Button } from '../../widgets/Button';
import { EmptyState } from '../../widgets/Feedback';
import { GlossaryText } from '../../widgets/GlossaryText';
import { LabelOverlay } from '../../widgets/LabelOverlay';
import { MachineLive, machineMoment } from '../../widgets/MachineLive';
import { Panel } from '../../widgets/Panel';
import { ShapeView } from '../../widgets/ShapeView';
import { SvgView } from '../../widgets/SvgView';
import { TextAlternative } from '../../widgets/TextAlternative';
import { Gauges } from './Gauges';
import styles from './Machine.module.css';
import Spots from './Spots';

/** Below this scale text would be too small: the compact drawing is used. */
const LEAST_SCALE = 0.9;
/** In a frame the compact drawing is made smaller, down to this scale, until it is seen whole. */
const LEAST_EMBEDDED = 0.6;
const MOST_SCALE = 1.6;
/** A drawing that would leave room free below it is at most so much higher. */
const MOST_TALL = 1.4;
/** Compact drawings higher than this need a higher panel. */
const TALL = 290;
/** Narrower windows are no projectors, but in the lecturer's hand. */
const LEAST_PROJECTOR = 600;
/** From this height under the drawing on, the present event is described there. */
const NOW_HEIGHT = 120;
/** The same under a compact drawing: two lines. */
const COMPACT_NOW_HEIGHT = 70;

/** The machine, drawn from its netlist, in its state at the playhead. */
export default function Machine() {
  useRun();
  const machine = useStore(session, (state) => state.machine);
  const handsOn = useStore(hasOwners);
  const [box, { width, height }] = useSize();
  const isExplored = machine !== null && (handsOn || coherentMachine(machine).caches.length > 0);
  return (
    <Panel
      title="Machine"
      tools={isExplored && <ProveIt />}
      textAlternative={machine && <MachineText machine={machine} />}
    >
      <div className={styles.box} ref={box} data-machine>
        {machine && width > 0 ? (
          <LabelOverlay className={styles.words}>
            <Drawing machine={machine} width={width} height={height} />
          </LabelOverlay>
        ) : (
          <EmptyState title="No machine">Open a scenario to see one.</EmptyState>
        )}
      </div>
    </Panel>
  );
}

/** Opens the proofs of the same caches and bus, or of the same kernel and adapter. */
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

/** On a projector labels of 10.5 units are at least 24 pixels of 1920. */
const PROJECTED_SCALE = 24 / 10.5 / 1920;

/** Its words large; if that leaves too little room for the full drawing, the compact one. */
function projectedLayout({ machine, width, height }: DrawingProps): MachineLayout {
  const scale = PROJECTED_SCALE * width;
  const full = layoutMachine(machine, true);
  if (Math.min(width / full.width, height / full.height) >= scale) return full;
  return layoutFitting(machine, width / scale, height / scale);
}

/** The drawing as high as leaves room for the present event below it. */
function heightened(full: MachineLayout, { machine, width, height }: DrawingProps): MachineLayout {
  const scale = Math.min(width / full.width, MOST_SCALE);
  for (let tall = MOST_TALL; tall > 1; tall -= 0.05) {
    const layout = layoutMachine(machine, true, tall);
    if (layout.height * scale + NOW_HEIGHT < height) return layout;
  }
  return full;
}

function fittingLayout({ machine, width, height }: DrawingProps): MachineLayout {
  const framed = shell.getState().embed !== null;
  const legible = (full: MachineLayout) =>
    (width > SHEET.width && !framed) ||
    Math.min(width / full.width, height / full.height) >= LEAST_SCALE;
  const full = [false, true].map((snug) => layoutMachine(machine, snug)).find(legible);
  if (full) return framed ? full : heightened(full, { machine, width, height });
  let layout = layoutFitting(machine, Math.max(300, width), height);
  for (
    let scale = 0.9;
    framed && layout.height > height / scale && scale >= LEAST_EMBEDDED;
    scale -= 0.1
  )
    layout = layoutFitting(machine, width / scale, height / scale);
  return layout;
}

/** Letters of packets on a projector, as a share of the window's width: see the style sheet. */
const [LETTERS, PROJECTED_LETTERS] = [10.7, 0.0126];

/** The scale for which letters of packets have this size: a compact drawing is scaled down, its letters less. */
const scaleOfLetters = (scale: number): number =>
  Math.min(scale, (LETTERS * scale) / (PROJECTED_LETTERS * innerWidth));

function Drawing(props: DrawingProps) {
  const { machine, width, height } = props;
  const isProjected = useStore(shell, (state) => state.lecture) && width >= LEAST_PROJECTOR;
  const layout = useMemo(() => {
    const layoutOf = isProjected ? projectedLayout : fittingLayout;
    return layoutOf({ machine, width, height });
  }, [machine, width, height, isProjected]);
  const explains = layout.legend !== null;
  useEffect(() => {
    stateLegend.setState({ shown: explains });
    return () => stateLegend.setState({ shown: false });
  }, [explains]);
  // On a projector the drawing takes all the room, and the caption is below it.
  const most = isProjected ? Number.POSITIVE_INFINITY : MOST_SCALE;
  const fitting = Math.min(width / layout.width, height / layout.height, most);
  const least = shell.getState().embed ? LEAST_EMBEDDED : LEAST_SCALE;
  const scale = layout.compact ? Math.max(fitting, Math.min(least, width / layout.width)) : fitting;
  const letters = isProjected && layout.compact ? scaleOfLetters(scale) : scale;
  return (
    <>
      <SvgView
        width={layout.width}
        height={layout.height}
        label="Machine"
        interactive
        className={styles.drawing}
        data-compact={layout.compact || undefined}
        data-tall={(layout.compact && layout.height > TALL) || undefined}
        scale={scale}
      >
        <ShapeView shapes={wireShapes(layout)} />
        {layout.parts.map((part) => (
          <Part key={part.index} part={part} />
        ))}
        <MachineLive layout={layout} machine={machine} scale={letters} />
        <Spots layout={layout} machine={machine} scale={letters} />
        <ComparisonProcessors layout={layout} />
        <ShapeView shapes={legendShapes(layout)} />
        <Ticks layout={layout} />
        <Reasons layout={layout} />
        <Gauges layout={layout} machine={machine} />
      </SvgView>
      {!isProjected && describesNow(layout, height - layout.height * scale) && <Now />}
    </>
  );
}

/** Whether the present event is described: if there is room, or below a scrolling compact drawing. */
function describesNow({ compact }: MachineLayout, room: number): boolean {
  return room > (compact ? COMPACT_NOW_HEIGHT : NOW_HEIGHT) || (compact && room < 0);
}

/** The processors of the comparison run at the same time. */
function ComparisonProcessors({ layout }: { readonly layout: MachineLayout }) {
  const { run } = useComparisonRun();
  const group = useLiveGroup(() => {
    if (run && !run.log.update()) loop.once('advance', () => player.refresh());
    return run ? comparisonShapes(layout, run, player.now().timePs) : [];
  });
  return <g ref={group} className={styles.live} />;
}

/** A sentence on the present event, under the drawing. */
function Now() {
  const sentence = useFrameValue(currentEventSentence);
  return (
    <p className={styles.now}>
      <GlossaryText text={sentence || 'The run is at its start.'} />
    </p>
  );
}

/** A part that can be hovered, focused and selected. */
function Part({ part }: { readonly part: PlacedPart }) {
  const { index } = part;
  const selected = useStore(selection, (state) => state.part === index);
  const marked = useStore(pointed, (state) => state.part === index);
  const isShown = useStore(markedParts, ({ parts }) => parts.includes(index));
  const toggle = () => select(selected ? {} : { part: index });
  return (
    // biome-ignore lint/a11y/useSemanticElements: an SVG cannot contain a button
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
      {isShown && <rect className={styles.shown} data-shown {...part.box} />}
      {marked && <rect className={styles.marked} {...part.box} />}
    </g>
  );
}

function Ticks({ layout }: { readonly layout: MachineLayout }) {
  const selected = useStore(selection, (state) => state.part);
  const part = layout.parts.find(({ index }) => index === selected);
  return part ? <ShapeView shapes={selectionTicks(part.box)} /> : null;
}

/** The numbers of the causes, each at the part where it happened. */
function Reasons({ layout }: { readonly layout: MachineLayout }) {
  const reasons = useCauses();
  const used = new Map<number, number>();
  const shapes = reasons.flatMap(({ number, part }) => {
    const own = layout.parts.find(({ index }) => index === part);
    // A part inside another shares its corner: there the number covers no text.
    const placed = layout.parts.find(({ index }) => index === own?.host) ?? own;
    if (!placed) return [];
    const before = used.get(placed.index) ?? 0;
    used.set(placed.index, before + 1);
    return reasonMark(placed.box.x + before * REASON_PITCH, placed.box.y, number);
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
    const now = machineMoment(machine);
    return now ? layout.parts.map((part) => partSentence(layout, part, now)).join('\n') : '';
  });
  useMachineViews(layout);
  return (
    <TextAlternative summary="What each part does at the playhead." sentences={text.split('\n')} />
  );
}
