import { type PointerEvent, useMemo, useRef } from 'react';
import { useStore } from '../../controllers/useStore';
import { type PlacedSocket, socketAt, socketPath, socketsOf } from '../../draw/machine/sockets';
import type { MachineLayout } from '../../draw/machine/types';
import type { Socket } from '../../model/builder/build-file';
import { choicesFor, type Draft, socketText } from '../../model/builder/draft';
import styles from './Sockets.module.css';
import { build, wireFrom, wireToPart, wireToSocket } from './state';

interface SocketsProps {
  readonly layout: MachineLayout;
  readonly scale: number;
}

const inDraft = (draft: Draft, { part, port, index }: PlacedSocket): Socket => ({
  part: draft.parts[part]?.name ?? '',
  port: port.name,
  index,
});

const keyOf = ({ part, port, index }: Socket): string => `${part}.${port}.${index}`;

/** Ports at which a wire from a socket may end: "part.port". */
function portsFor(draft: Draft, from: Socket | null): ReadonlySet<string> {
  const legal = from ? choicesFor(draft, from).filter(({ why }) => why === null) : [];
  return new Set(legal.map(({ to }) => `${to.part}.${to.port}`));
}

/**
 * Sockets of wires and free sockets. A wire is drawn by dragging, or by pressing one socket after the other.
 * The sheet of a part offers the same to the keyboard.
 */
export function Sockets({ layout, scale }: SocketsProps) {
  const draft = useStore(build, (state) => state.draft);
  const from = useStore(build, (state) => state.from);
  const sockets = useMemo(() => socketsOf(draft, layout), [draft, layout]);
  const legal = useMemo(() => portsFor(draft, from), [draft, from]);
  const takes = (socket: PlacedSocket): boolean => {
    const { part, port } = inDraft(draft, socket);
    return !socket.isTaken && legal.has(`${part}.${port}`);
  };
  const drag = useWire({ layout, scale, sockets, takes });
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: nothing in it takes the focus
    <g aria-hidden="true">
      {sockets.map((socket) => {
        const own = inDraft(draft, socket);
        const isFrom = from !== null && keyOf(from) === keyOf(own);
        const { x, y, port, isTaken } = socket;
        const state = isTaken ? 'taken' : isFrom ? 'from' : takes(socket) ? 'takes' : 'free';
        return (
          <g
            key={keyOf(own)}
            className={styles.socket}
            data-state={state}
            data-needs={(port.required && !isTaken) || undefined}
            {...(isTaken ? {} : drag.on(socket))}
          >
            <title>{wordsOf(draft, own, socket)}</title>
            <path d={socketPath(socket)} />
            {state === 'takes' && port.count > 1 && (
              <text x={x} y={y + 15}>
                {socket.index}
              </text>
            )}
            {!isTaken && <rect x={x - REACH} y={y - REACH} width={2 * REACH} height={2 * REACH} />}
          </g>
        );
      })}
      <path ref={drag.line} className={styles.line} />
    </g>
  );
}

/** Half the size of the pointer target. */
const REACH = 9;

const wordsOf = (draft: Draft, own: Socket, { port, isTaken }: PlacedSocket): string =>
  `${socketText(draft, own)} ${port.role === 'client' ? 'client of' : 'serves'} ${port.protocol}${
    isTaken ? ', taken' : port.required ? ', must be wired' : ''
  }`;

const SLOP_PX = 4;

interface WireParts extends SocketsProps {
  readonly sockets: readonly PlacedSocket[];
  takes(socket: PlacedSocket): boolean;
}

/**
 * The wire being drawn follows the pointer, without React: to a socket that accepts it, or to a part that
 * says why it does not.
 */
function useWire({ layout, scale, sockets, takes }: WireParts) {
  const line = useRef<SVGPathElement>(null);
  const start = useRef<{ x: number; y: number; moved: boolean } | null>(null);
  const latest = useRef(takes);
  latest.current = takes;
  const { draft } = build.getState();

  const placeOf = (event: PointerEvent<SVGGElement>): [number, number] => {
    const sheet = event.currentTarget.ownerSVGElement?.getBoundingClientRect();
    return [(event.clientX - (sheet?.x ?? 0)) / scale, (event.clientY - (sheet?.y ?? 0)) / scale];
  };
  const partAt = (x: number, y: number) =>
    layout.parts.findLast(
      ({ box }) => x >= box.x && x <= box.x + box.width && y >= box.y && y <= box.y + box.height,
    );
  const end = () => {
    start.current = null;
    line.current?.removeAttribute('d');
  };

  const on = (socket: PlacedSocket) => ({
    onPointerDown(event: PointerEvent<SVGGElement>): void {
      if (event.button !== 0) return;
      event.stopPropagation();
      event.currentTarget.setPointerCapture(event.pointerId);
      start.current = { x: event.clientX, y: event.clientY, moved: false };
    },
    onPointerMove(event: PointerEvent<SVGGElement>): void {
      const now = start.current;
      if (!now) return;
      const far = Math.hypot(event.clientX - now.x, event.clientY - now.y);
      if (!now.moved && far < SLOP_PX) return;
      if (!now.moved) wireFrom(inDraft(draft, socket));
      now.moved = true;
      const [x, y] = placeOf(event);
      const over = socketAt(sockets, x, y);
      const isOther = over !== null && over !== socket;
      line.current?.setAttribute('d', `M${socket.x} ${socket.y}L${x} ${y}`);
      line.current?.setAttribute('data-over', isOther ? (latest.current(over) ? 'yes' : 'no') : '');
    },
    onPointerUp(event: PointerEvent<SVGGElement>): void {
      const now = start.current;
      const [x, y] = placeOf(event);
      end();
      if (!now) return;
      const over = socketAt(sockets, x, y);
      const part = partAt(x, y);
      if (!now.moved) press(inDraft(draft, socket));
      else if (over && over !== socket) wireToSocket(inDraft(draft, over));
      else if (part && part.index !== socket.part) wireToPart(draft.parts[part.index]?.name ?? '');
      else wireFrom(null);
    },
    onPointerCancel: end,
  });
  return { line, on };
}

/** The first press begins a wire, the second ends it; pressing the same socket again cancels. */
function press(socket: Socket): void {
  const { from } = build.getState();
  if (!from) wireFrom(socket);
  else if (keyOf(from) === keyOf(socket)) wireFrom(null);
  else wireToSocket(socket);
}
