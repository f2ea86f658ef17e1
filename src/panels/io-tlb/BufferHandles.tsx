import { type KeyboardEvent, type PointerEvent, useRef } from 'react';
import { address, integer } from '../../base/format';
import { clamp } from '../../base/geometry';
import { applyFix } from '../../controllers/useFixRuns';
import { useGesture } from '../../controllers/useGesture';
import { useStore } from '../../controllers/useStore';
import {
  type ChainAxis,
  chainAtPlace,
  HANDLE_RADIUS,
  type Requester,
  signPlaces,
} from '../../draw/coherence/chain-axis';
import type { TlbRole } from '../../model/coherence/coherence-roles';
import { placeBuffers } from '../../model/diagnosis/buffer-placement';
import { session } from '../../model/session/session';
import { dragging, movableDevices, placedChain } from './dragging';
import styles from './IoTlb.module.css';

interface BufferHandlesProps {
  readonly tlb: TlbRole;
  readonly axis: ChainAxis;
  readonly scale: number;
  readonly requesters: readonly Requester[];
}

/** A handle on the axis for each device whose driver has a parameter for the place of its buffers. */
export function BufferHandles(props: BufferHandlesProps) {
  const movable = useStore(movableDevices);
  const { device, chain } = useStore(dragging);
  const dragged = chain === null ? null : { device, chain };
  return signPlaces(props.axis, props.requesters, dragged).map((place) =>
    place.device !== null && movable.includes(place.device) ? (
      <Handle key={place.device} {...props} {...place} device={place.device} />
    ) : null,
  );
}

interface HandleProps extends BufferHandlesProps {
  readonly device: number;
  readonly title: string;
  /** The present chain of the buffers, and the one they are dragged to. */
  readonly own: number;
  readonly chain: number;
  readonly x: number;
  readonly y: number;
}

/** The position is a chain. A drag or the arrow keys rerun the machine, as one undo step. */
function Handle({ tlb, axis, scale, device, title, own, chain, x, y }: HandleProps) {
  const box = useRef<HTMLDivElement>(null);
  const { onInput, onCommit, finish } = useGesture((wanted, commit) => {
    if (!commit) return dragging.setState({ device, chain: wanted });
    const { machine, data } = session.getState();
    const fix = machine && data && placeBuffers(machine, tlb, { device, chain: wanted }, data);
    if (!fix || wanted === placedChain(device, own)) return dragging.setState({ chain: null });
    applyFix(fix);
    const placed = { device, chain: wanted, machine: session.getState().machine };
    dragging.setState({ chain: null, placed });
  });
  const now = dragging.getState().chain === null ? placedChain(device, chain) : chain;
  const chainOf = ({ clientX }: PointerEvent): number => {
    const sheet = box.current?.parentElement?.getBoundingClientRect();
    return chainAtPlace(axis, (clientX - (sheet?.left ?? 0)) / scale);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const by = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    onCommit(clamp((dragging.getState().chain ?? placedChain(device, own)) + by, 0, tlb.rows - 1));
  };
  const size = 2 * HANDLE_RADIUS * scale;
  return (
    <div
      ref={box}
      role="slider"
      tabIndex={0}
      className={styles.handle}
      aria-label={`Chain of the buffers of ${title}`}
      aria-valuemin={0}
      aria-valuemax={tlb.rows - 1}
      aria-valuenow={now}
      aria-valuetext={`chain ${integer(now)}, from I/O address ${address(now * 2 ** tlb.chainShift)}`}
      title={`Drag the buffers of ${title} to another chain`}
      style={{ left: x * scale - size / 2, top: y * scale - size / 2, width: size, height: size }}
      data-own-keys
      onKeyDown={onKeyDown}
      onBlur={finish}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={(event) => {
        if (event.currentTarget.hasPointerCapture(event.pointerId)) onInput(chainOf(event));
      }}
      onPointerUp={finish}
      onPointerCancel={finish}
    />
  );
}
