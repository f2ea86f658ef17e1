import {
  type KeyboardEvent,
  type PointerEvent,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { createPortal } from 'react-dom';
import type { Rect } from '../../base/geometry';
import { shell } from '../../base/shell-state';
import { useFrames, useFrameValue } from '../../controllers/useRun';
import { type Spot, type SpotGroup, spotGroups } from '../../draw/machine/spots';
import type { MachineLayout } from '../../draw/machine/types';
import { NOWHERE } from '../../model/coherence/selected-lines';
import type { CompiledMachine } from '../../model/scenario/compiled';
import { point, select } from '../../model/session/selection';
import { machineMoment } from '../../widgets/MachineLive';
import { placePopover } from '../../widgets/popoverPosition';
import styles from './Machine.module.css';

export interface SpotsProps {
  readonly layout: MachineLayout;
  readonly machine: CompiledMachine;
  readonly scale: number;
}

/** Packets, utilisations, rows and translations of the drawing as controls that tell what they are. */
export default function Spots({ layout, machine, scale }: SpotsProps) {
  const groups = useMemo(() => spotGroups(layout), [layout]);
  return groups.map((group) => (
    <Group key={group.key} group={group} machine={machine} scale={scale} />
  ));
}

interface GroupProps extends Pick<SpotsProps, 'machine' | 'scale'> {
  readonly group: SpotGroup;
}

/** The spots of a group at the playhead, where they are drawn. */
function spotsNow({ group, machine, scale }: GroupProps): readonly Spot[] {
  const now = machineMoment(machine);
  const look = { selected: NOWHERE, pointed: NOWHERE, conflictRow: null, scale };
  return now ? group.spots(now, { still: shell.getState().reducedMotion, look }) : [];
}

/** The smallest rectangle around all. */
function around(spots: readonly Spot[]): Rect {
  const [x, y] = [
    Math.min(...spots.map(({ box }) => box.x)),
    Math.min(...spots.map(({ box }) => box.y)),
  ];
  const right = Math.max(...spots.map(({ box }) => box.x + box.width));
  const low = Math.max(...spots.map(({ box }) => box.y + box.height));
  return { x, y, width: right - x, height: low - y };
}

function placeAt(element: Element | undefined, box: Rect): void {
  for (const [name, value] of Object.entries(box)) element?.setAttribute(name, String(value));
}

const contains = ({ x, y, width, height }: Spot['box'], px: number, py: number): boolean =>
  px >= x && px <= x + width && py >= y && py <= y + height;

const NEXT: Readonly<Record<string, number>> = {
  ArrowRight: 1,
  ArrowDown: 1,
  ArrowLeft: -1,
  ArrowUp: -1,
};

function Group(props: GroupProps) {
  const { key: id, title, many } = props.group;
  const group = useRef<SVGGElement>(null);
  const [chosen, setAt] = useState(0);
  const [isOpen, open] = useState(false);
  const now = () => spotsNow(props);
  const amount = useFrameValue(() => now().length);
  const at = Math.max(0, Math.min(chosen, amount - 1));
  const says = useFrameValue(() => now()[at]?.says() ?? '');
  const place = () => {
    const spots = now();
    const [all, here] = group.current?.children ?? [];
    if (spots.length > 0) placeAt(all, around(spots));
    const spot = spots[at];
    if (spot) placeAt(here, spot.box);
  };
  useFrames('dom', place);
  useLayoutEffect(place);
  const look = (index: number) => {
    const spot = now()[index];
    setAt(index);
    open(spot !== undefined);
    if (spot) point(spot.selects);
  };
  const leave = () => {
    open(false);
    point({});
  };
  const choose = () => {
    const spot = now()[at];
    if (spot) select(spot.selects);
  };
  const spotUnder = (clientX: number, clientY: number): number => {
    const drawn = group.current?.children[0]?.getBoundingClientRect();
    const spots = now();
    if (!many || !drawn?.width || !drawn.height) return Math.min(at, spots.length - 1);
    const all = around(spots);
    const x = all.x + ((clientX - drawn.x) / drawn.width) * all.width;
    const y = all.y + ((clientY - drawn.y) / drawn.height) * all.height;
    return spots.findIndex(({ box }) => contains(box, x, y));
  };
  const onPointer = ({ clientX, clientY }: PointerEvent) => {
    const index = spotUnder(clientX, clientY);
    if (index >= 0 && (index !== at || !isOpen)) look(index);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const by = NEXT[event.key];
    if (event.key === 'Escape' && isOpen) open(false);
    else if (event.key === 'Enter' || event.key === ' ') choose();
    else if (by !== undefined && amount > 1) look((at + by + amount) % amount);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const none = amount === 0;
  const words = none ? `${title}: none now` : says;
  const voice = many
    ? {
        role: 'slider',
        'aria-label': title,
        'aria-valuemin': 0,
        'aria-valuemax': Math.max(0, amount - 1),
        'aria-valuenow': at,
        'aria-valuetext': words,
      }
    : { role: 'button', 'aria-label': words };
  return (
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the role is among the spread properties */}
      <g
        ref={group}
        {...voice}
        aria-disabled={none || undefined}
        tabIndex={none ? -1 : 0}
        className={styles.spot}
        data-spot={id}
        onFocus={({ currentTarget }) => {
          if (currentTarget.matches(':focus-visible')) look(at);
        }}
        onBlur={leave}
        onPointerMove={onPointer}
        onPointerDown={onPointer}
        onPointerLeave={leave}
        onClick={choose}
        onKeyDown={onKeyDown}
      >
        {amount > 0 && (
          <>
            <rect />
            <rect data-here={isOpen || undefined} />
          </>
        )}
      </g>
      {isOpen && says && <Says words={says} of={() => group.current?.children[many ? 0 : 1]} />}
    </>
  );
}

interface SaysProps {
  readonly words: string;
  of(): Element | undefined;
}

/** The words beside the spot, above everything else. */
function Says({ words, of: spot }: SaysProps) {
  const box = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState<{ left: number; top: number } | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is placed again when its words change
  useLayoutEffect(() => {
    const anchor = spot()?.getBoundingClientRect();
    if (!box.current || !anchor) return;
    const page = { width: window.innerWidth, height: window.innerHeight };
    const size = { width: box.current.offsetWidth, height: box.current.offsetHeight };
    setAt(placePopover(anchor, size, page, 'start'));
  }, [words]);
  return createPortal(
    <div
      ref={box}
      className={styles.says}
      role="tooltip"
      style={at ?? { left: 0, top: 0, visibility: 'hidden' }}
    >
      {words}
      <small>Click or Enter: where it comes from and what touched it</small>
    </div>,
    document.body,
  );
}
