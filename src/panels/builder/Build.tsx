import { type KeyboardEvent, type PointerEvent, useMemo, useRef } from 'react';
import { useCommands } from '../../controllers/useCommands';
import { useRun } from '../../controllers/useRun';
import { useSize } from '../../controllers/useSize';
import { useStore } from '../../controllers/useStore';
import { selectionTicks } from '../../draw/glyph';
import { moved, SNAP } from '../../draw/machine/free-place';
import { layoutCompact, layoutMachine } from '../../draw/machine/layout';
import { partShapes, wireShapes } from '../../draw/machine/machine';
import type { MachineLayout, PlacedPart } from '../../draw/machine/types';
import { placeParts, tidy } from '../../model/builder/build-file';
import {
  choicesFor,
  type Draft,
  type DraftPart,
  missing,
  peerOf,
  socketText,
} from '../../model/builder/draft';
import { TEMPLATES } from '../../model/builder/templates';
import { navigateInSession, session } from '../../model/session/session';
import { Button } from '../../widgets/Button';
import { EmptyState } from '../../widgets/Feedback';
import { Icon } from '../../widgets/Icon';
import { MachineLive } from '../../widgets/MachineLive';
import { Menu } from '../../widgets/Menu';
import { Panel } from '../../widgets/Panel';
import { ShapeView } from '../../widgets/ShapeView';
import { SvgView } from '../../widgets/SvgView';
import { TextAlternative } from '../../widgets/TextAlternative';
import styles from './Build.module.css';
import { OpenItems } from './OpenItems';
import { Sockets } from './Sockets';
import {
  type BuildState,
  build,
  change,
  choose,
  remove,
  startEmpty,
  startFrom,
  wireFrom,
  wireToPart,
} from './state';
import { useBuild } from './useBuild';

const MOST_SCALE = 1.4;
/** Room below the lowest part for half a socket and its number. */
const SOCKET_ROOM = 18;
/** Below this width or height the compact drawing is shown, in which nothing can be moved. */
const NARROW = 560;
const LOW = 190;
const isCompact = (width: number, height: number): boolean => width < NARROW || height < LOW;

const commands = [
  {
    id: 'build.leave-wire',
    title: 'Cancel the wire',
    section: 'Session',
    keys: ['Escape'],
    keyOnly: true,
    when: () => build.getState().from !== null,
    run: () => wireFrom(null),
  },
] as const;

const starts = TEMPLATES.map((template) => ({
  id: template.title,
  title: template.title,
  run: () => void startFrom(template),
}));

/** The drawing in which a machine is built. */
export default function Build() {
  useRun();
  const draft = useBuild((state: BuildState) => state.draft);
  const [box, { width, height }] = useSize();
  useCommands(commands);
  const tools = (
    <>
      <Menu label="Start from a machine" items={starts} className={styles.start}>
        Start from <Icon name="down" />
      </Menu>
      <Button look="link" onClick={() => change(tidy, 'All parts are placed automatically.')}>
        Tidy
      </Button>
      <Button look="link" onClick={startEmpty}>
        Start empty
      </Button>
      <Button look="link" onClick={() => navigateInSession('machine')}>
        Open in the workspace
      </Button>
    </>
  );
  return (
    <Panel title="Machine" tools={tools} textAlternative={<BuildText />}>
      <div className={styles.build}>
        <div
          className={styles.box}
          ref={box}
          data-drop={draft.parts.length === 0 || isCompact(width, height) ? 'anywhere' : 'place'}
        >
          {draft.parts.length === 0 ? (
            <NoParts />
          ) : (
            width > 0 && <Drawing width={width} height={height} />
          )}
        </div>
        <OpenItems />
      </div>
    </Panel>
  );
}

function NoParts() {
  const isReadable = useStore(build, ({ file }) => file !== null);
  return isReadable ? (
    <div className={styles.empty}>
      <EmptyState title="No parts yet">
        Add a processor, a bridge, memory, a bus and a card. Wires that fit only one place are drawn
        for you. Or start from a machine that runs:
      </EmptyState>
      <ul>
        {starts.map(({ id, title, run }) => (
          <li key={id}>
            <Button look="link" onClick={run}>
              {title}
            </Button>
          </li>
        ))}
      </ul>
    </div>
  ) : (
    <EmptyState title="The text cannot be read">
      Nothing of it is lost. The drawing returns once it is fixed or undone.
    </EmptyState>
  );
}

/** The running machine is the last finished one; the drawing shows it only if it has the same parts. */
function useRunning(draft: Draft) {
  const machine = useStore(session, (state) => state.machine);
  const own = (parts: readonly Pick<DraftPart, 'name' | 'type'>[]) =>
    parts.map(({ name, type }) => `${name} ${type.name}`).join();
  const built = machine?.parts.filter(({ where }) => where !== null) ?? [];
  return own(built) === own(draft.parts) ? machine : null;
}

function Drawing({ width, height }: { readonly width: number; readonly height: number }) {
  const draft = useStore(build, (state) => state.draft);
  const machine = useRunning(draft);
  const narrow = isCompact(width, height);
  const layout = useMemo(
    () => (narrow ? layoutCompact(draft, Math.max(300, width)) : layoutMachine(draft)),
    [draft, narrow, width],
  );
  const tall = layout.height + (narrow ? 0 : SOCKET_ROOM);
  const scale = Math.min(width / layout.width, narrow ? 1 : height / tall, MOST_SCALE);
  return (
    <SvgView
      width={layout.width}
      height={tall}
      label="Machine"
      interactive
      className={styles.drawing}
      style={{ width: layout.width * scale, height: tall * scale }}
    >
      {/* Free ports have the place of its words. */}
      <ShapeView shapes={wireShapes(layout).filter(({ kind }) => kind !== 'text')} />
      {layout.parts.map((part) => (
        <Part key={part.index} part={part} layout={layout} scale={scale} fixed={narrow} />
      ))}
      {machine && <MachineLive layout={layout} machine={machine} />}
      <Marks layout={layout} />
      {!narrow && <Sockets layout={layout} scale={scale} />}
    </SvgView>
  );
}

const nameOf = (index: number): string => build.getState().draft.parts[index]?.name ?? '';

/** Fixes the positions of all parts, with one of them moved by steps of the grid. */
function place(layout: MachineLayout, index: number, dx: number, dy: number): void {
  const places = layout.parts.map(({ index: own, box }) => {
    const at = [box.x, box.y, box.width, box.height] as const;
    const rounded = at.map(Math.round) as unknown as typeof at;
    return [nameOf(own), own === index ? moved(at, dx, dy) : rounded] as const;
  });
  change((file) => placeParts(file, Object.fromEntries(places)), `${nameOf(index)} was moved.`);
}

const STEPS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

interface PartProps {
  readonly part: PlacedPart;
  readonly layout: MachineLayout;
  readonly scale: number;
  /** It cannot be moved in this drawing. */
  readonly fixed: boolean;
}

function Part({ part, layout, scale, fixed }: PartProps) {
  const { index, box } = part;
  const chosen = useStore(build, ({ chosen: name, draft }) => draft.parts[index]?.name === name);
  const press = () => {
    if (build.getState().from) wireToPart(nameOf(index));
    else choose(chosen ? null : nameOf(index));
  };
  const drag = useDrag(scale, fixed, press, (dx, dy) => place(layout, index, dx, dy));
  function onKeyDown(event: KeyboardEvent): void {
    const step = fixed ? undefined : STEPS[event.key];
    if (event.key === 'Enter' || event.key === ' ') press();
    else if (event.key === 'Delete' || event.key === 'Backspace') remove(nameOf(index));
    else if (step) {
      const by = SNAP * (event.shiftKey ? 5 : 1);
      place(layout, index, step[0] * by, step[1] * by);
    } else return;
    event.preventDefault();
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: an SVG cannot contain a button
    <g
      ref={drag.ref}
      role="button"
      tabIndex={0}
      aria-pressed={chosen}
      aria-label={part.part.title}
      aria-describedby="build-keys"
      className={styles.part}
      data-own-keys
      data-part={index}
      onKeyDown={onKeyDown}
      {...drag.on}
    >
      <ShapeView shapes={partShapes(part, chosen)} />
      {chosen && <ShapeView shapes={selectionTicks(box)} />}
    </g>
  );
}

const SLOP_PX = 4;

/** Dragging a part, without React until it is dropped on the grid. Without travel it is a press. */
function useDrag(
  scale: number,
  fixed: boolean,
  press: () => void,
  put: (dx: number, dy: number) => void,
) {
  const ref = useRef<SVGGElement>(null);
  const from = useRef<{ x: number; y: number; moved: boolean } | null>(null);
  const travel = (event: PointerEvent) => {
    const start = from.current;
    return start ? [event.clientX - start.x, event.clientY - start.y] : [0, 0];
  };
  const on = {
    onPointerDown(event: PointerEvent<SVGGElement>): void {
      if (event.button !== 0) return;
      from.current = { x: event.clientX, y: event.clientY, moved: false };
      if (!fixed) event.currentTarget.setPointerCapture(event.pointerId);
    },
    onPointerMove(event: PointerEvent<SVGGElement>): void {
      const start = from.current;
      const [dx = 0, dy = 0] = travel(event);
      if (!start || fixed || (!start.moved && Math.hypot(dx, dy) < SLOP_PX)) return;
      start.moved = true;
      ref.current?.setAttribute('transform', `translate(${dx / scale} ${dy / scale})`);
    },
    onPointerUp(event: PointerEvent<SVGGElement>): void {
      const start = from.current;
      const [dx = 0, dy = 0] = travel(event);
      from.current = null;
      ref.current?.removeAttribute('transform');
      if (start?.moved) put(dx / scale, dy / scale);
      else if (start) press();
    },
    onPointerCancel(): void {
      from.current = null;
      ref.current?.removeAttribute('transform');
    },
  };
  return { ref, on };
}

/** Parts with open items, and the possible ends of the wire being drawn. */
function Marks({ layout }: { readonly layout: MachineLayout }) {
  const draft = useStore(build, (state) => state.draft);
  const from = useStore(build, (state) => state.from);
  const needs = useMemo(() => missing(draft), [draft]);
  const legal = useMemo(
    () => (from ? choicesFor(draft, from).filter(({ why }) => why === null) : []),
    [draft, from],
  );
  return (
    <g className={styles.marks}>
      {layout.parts.map(({ index, box }) => {
        const name = draft.parts[index]?.name ?? '';
        const open = needs.filter(({ part }) => part === name).map(({ port }) => port);
        const ends = legal.filter(({ to }) => to.part === name).map(({ to }) => to.port);
        const isStart = from?.part === name;
        const state = ends.length > 0 ? 'takes' : isStart ? 'from' : open.length > 0 ? 'needs' : '';
        if (!state || (from && state === 'needs')) return null;
        const label = {
          takes: `takes it: ${ends.join(', ')}`,
          from: `wire from ${from?.port}`,
          needs: `must have ${open.join(', ')}`,
        }[state];
        return (
          <g key={name} data-state={state}>
            <rect {...grown(box)} />
            <text x={box.x + box.width - 6} y={box.y + box.height - 11}>
              {label}
            </text>
          </g>
        );
      })}
    </g>
  );
}

const grown = ({ x, y, width, height }: PlacedPart['box']) => ({
  x: x - 3,
  y: y - 3,
  width: width + 6,
  height: height + 6,
});

/** Parts and wires as sentences, open items, and instructions for the keyboard. */
function BuildText() {
  const draft = useStore(build, (state) => state.draft);
  const sentences = draft.parts.map((part) => {
    const wires = part.type.ports.flatMap((port) =>
      Array.from({ length: port.count }, (_, index) => ({
        part: part.name,
        port: port.name,
        index,
      }))
        .map((socket) => ({ socket, peer: peerOf(draft, socket) }))
        .filter(({ peer, socket: { index } }) => peer || (port.required && index === 0))
        .map(({ socket, peer }) =>
          peer
            ? `${socketText(draft, socket)} to ${socketText(draft, peer)}`
            : `${socketText(draft, socket)} must be wired`,
        ),
    );
    return `${part.title} (${part.type.title}, “${part.name}”): ${wires.join('; ') || 'no wires'}.`;
  });
  return (
    <TextAlternative
      summary={`${draft.parts.length} parts, ${draft.wires.length} wires.`}
      sentences={sentences}
    />
  );
}
