import { type CSSProperties, type KeyboardEvent, useRef } from 'react';
import { fromShare, type Scale, toShare } from '../base/geometry';
import type { Legal } from '../model/scenario/editable-param';
import styles from './Slider.module.css';
import { snapped, stepped, stepsFor } from './steps';

export interface SliderProps {
  readonly label: string;
  readonly value: number;
  readonly min: number;
  readonly max: number;
  /** One press of an arrow key; Shift takes ten. Values snap to it. */
  readonly step: number;
  /** The permitted values, if not all of the track are. */
  readonly legal?: Legal | null | undefined;
  /** Logarithmic: equal ratios have equal lengths. */
  readonly log?: boolean;
  /** Tick on the track: the value in the published scenario. */
  readonly defaultValue?: number | undefined;
  /** Double tick: the value before the present edit. */
  readonly ghost?: number | undefined;
  readonly disabled?: boolean;
  /** Text for screen readers: "8.27 µs". */
  format?(value: number): string;
  /** Called at every move of a drag. */
  onInput(value: number): void;
  /** Called at the end of a drag and after each key press: one undo step. */
  onCommit(value: number): void;
}

const POSITIONS = 1000;

/**
 * A native range input under a custom drawing. The input has a thousand positions; values are computed here,
 * also on a logarithmic track, so that keys move by steps of the value.
 */
export function Slider(props: SliderProps) {
  const { label, value, min, max, log = false, defaultValue, ghost, disabled = false } = props;
  const scale: Scale = { low: min, high: max, log };
  const dragged = useRef<number | null>(null);
  const share = (at: number) => `${toShare(scale, at) * 100}%`;
  const valueAt = (position: number) => snapped(fromShare(scale, position / POSITIONS), props);

  function input(position: number): void {
    dragged.current = valueAt(position);
    props.onInput(dragged.current);
  }

  function commit(): void {
    if (dragged.current === null) return;
    const last = dragged.current;
    dragged.current = null;
    props.onCommit(last);
  }

  function onKeyDown(event: KeyboardEvent): void {
    const next = valueForKey(event, props);
    if (next === null) return;
    event.preventDefault();
    props.onInput(next);
    props.onCommit(next);
  }

  return (
    <span className={styles.slider} style={{ '--at': share(value) } as CSSProperties}>
      {defaultValue !== undefined && (
        <i className={styles.tick} style={{ left: share(defaultValue) }} />
      )}
      {ghost !== undefined && <i className={styles.ghost} style={{ left: share(ghost) }} />}
      <input
        type="range"
        aria-label={label}
        aria-valuemin={min}
        aria-valuemax={max}
        aria-valuenow={value}
        aria-valuetext={props.format?.(value) ?? String(value)}
        min={0}
        max={POSITIONS}
        step="any"
        value={toShare(scale, value) * POSITIONS}
        disabled={disabled}
        onChange={(event) => input(event.target.valueAsNumber)}
        onPointerUp={commit}
        onPointerCancel={commit}
        onBlur={commit}
        onKeyDown={onKeyDown}
      />
    </span>
  );
}

function valueForKey(event: KeyboardEvent, props: SliderProps): number | null {
  const { value, min, max } = props;
  if (event.key === 'Home') return snapped(min, props);
  if (event.key === 'End') return snapped(max, props);
  const step = stepsFor(event.shiftKey);
  const by: Readonly<Record<string, number>> = {
    ArrowRight: step,
    ArrowUp: step,
    ArrowLeft: -step,
    ArrowDown: -step,
    PageUp: stepsFor(true),
    PageDown: -stepsFor(true),
  };
  const steps = by[event.key];
  return steps === undefined ? null : stepped(value, steps, props);
}
