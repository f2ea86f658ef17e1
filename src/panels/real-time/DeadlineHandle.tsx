import { type KeyboardEvent, type PointerEvent, useRef } from 'react';
import { text, time } from '../../base/format';
import { showToast } from '../../base/notices';
import { packetDeadlineParam } from '../../controllers/machine-features';
import { useStore } from '../../controllers/useStore';
import { deadlineEnds, type ResponseSheet, responseAxis } from '../../draw/realtime/responses';
import { editableParam } from '../../model/scenario/editable-param';
import { setParam } from '../../model/session/editing';
import { session } from '../../model/session/session';
import { snapped, stepped, stepsFor } from '../../widgets/steps';
import styles from './DeadlineHandle.module.css';

interface DeadlineHandleProps {
  readonly sheet: Omit<ResponseSheet, 'playheadPs'>;
  readonly scale: number;
  /** Receives the dragged deadline in picoseconds; null when released. */
  onDrag(deadline: number | null): void;
}

/** The deadline parameter as an editable number; null if it cannot be dragged. */
function editableDeadline() {
  const found = packetDeadlineParam();
  const editable = found && editableParam(found.part, found.param);
  if (!found || editable?.kind !== 'number' || editable.value <= 0) return null;
  return { path: found.param.path, editable, unit: Number(found.param.value) / editable.value };
}

const WIDTH = 18;

/**
 * The draggable line of the deadline: late responses are shown during the drag, and releasing it reruns the
 * machine.
 */
export function DeadlineHandle({ sheet, scale, onDrag }: DeadlineHandleProps) {
  useStore(session, (state) => state.machine);
  const dragged = useRef<number | null>(null);
  const found = editableDeadline();
  if (!found || sheet.deadline === null) return null;
  const { path, editable, unit } = found;
  const axis = responseAxis(sheet);
  const x = axis.at(sheet.deadline);
  const { top, base } = deadlineEnds(sheet);
  const steps = { ...editable, min: Math.max(editable.min, editable.step) };
  const valueText = `${text(time(sheet.deadline, 3))}`;

  function set(value: number): void {
    const problem = setParam(path, editable.text(value), { commit: true });
    if (problem) showToast(problem.message);
  }

  function onPointerMove(event: PointerEvent<SVGGElement>): void {
    if (dragged.current === null) return;
    const left = event.currentTarget.ownerSVGElement?.getBoundingClientRect().left ?? 0;
    const at = Math.min(axis.valueAt((event.clientX - left) / scale), axis.high);
    dragged.current = snapped(at / unit, steps);
    onDrag(dragged.current * unit);
  }

  function release(): void {
    const value = dragged.current;
    dragged.current = null;
    onDrag(null);
    if (value !== null && value !== editable.value) set(value);
  }

  function onKeyDown(event: KeyboardEvent): void {
    const by = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    set(stepped(editable.value, by * stepsFor(event.shiftKey), steps));
  }

  return (
    <g
      className={styles.handle}
      role="slider"
      tabIndex={0}
      aria-label="Deadline of a packet"
      aria-valuemin={steps.min}
      aria-valuemax={editable.max}
      aria-valuenow={sheet.deadline / unit}
      aria-valuetext={valueText}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        dragged.current = editable.value;
      }}
      onPointerMove={onPointerMove}
      onPointerUp={release}
      onPointerCancel={release}
      onKeyDown={onKeyDown}
    >
      <title>Drag to set the deadline</title>
      <path className={styles.grip} d={`M${x - 5} ${top}h10l-5 8z`} />
      <rect className={styles.focus} x={x - 7} y={top - 2} width={14} height={base - top + 4} />
      <rect
        className={styles.reach}
        x={x - WIDTH / 2}
        y={top - 6}
        width={WIDTH}
        height={base - top + 6}
      />
    </g>
  );
}
