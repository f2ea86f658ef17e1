import { type KeyboardEvent, type PointerEvent, useId, useRef, useState } from 'react';
import { fixed, text } from '../base/format';
import type { Legal } from '../model/scenario/editable-param';
import styles from './NumberField.module.css';
import { parseNumber } from './parseNumber';
import { stepped, stepsFor } from './steps';

export interface NumberFieldProps {
  readonly label: string;
  readonly value: number;
  readonly unit?: string;
  readonly min: number;
  readonly max: number;
  readonly step: number;
  /** For integers: how many base units one of the unit has (1 KiB: 1024). */
  readonly whole?: number | null | undefined;
  /** The permitted values, if not all of the range are. */
  readonly legal?: Legal | null | undefined;
  /** Decimals shown; more can be typed if the step allows. */
  readonly decimals?: number;
  readonly disabled?: boolean;
  /** Value before the edit, shown struck through. */
  readonly was?: number | undefined;
  /** Called at every move while scrubbing. */
  onInput?(value: number): void;
  onCommit(value: number): void;
  /** Also receives the error of refused input, so that a row can show it. */
  onProblem?(sentence: string | null): void;
}

/** Pointer travel in pixels per step, and before a press counts as scrubbing. */
const STEP_PX = 4;
/** Travel per permitted value: from one power of two to the next is a long way. */
const LEGAL_PX = 16;
const SLOP_PX = 3;

/**
 * A number in a sentence or a row. Drag it sideways, press the arrow keys (Shift: ten steps), or click and
 * type. Input that is unreadable or out of range is refused with an error; the old value stays.
 */
export function NumberField(props: NumberFieldProps) {
  const {
    label,
    value,
    unit = '',
    min,
    max,
    decimals = 0,
    whole,
    legal,
    disabled = false,
    was,
  } = props;
  const [draft, setDraft] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const problemId = useId();
  const shown = fixed(value, decimals);
  const scrub = useScrub(props);
  // Enter accepts and then blurs the field, which accepts again: the second time there must be nothing to do.
  const typed = useRef<string | null>(null);

  function write(text: string | null): void {
    typed.current = text;
    setDraft(text);
  }

  function report(sentence: string | null): void {
    setProblem(sentence);
    props.onProblem?.(sentence);
  }

  function accept(): void {
    const input = typed.current;
    if (input === null) return;
    write(null);
    const result =
      input.trim() === shown
        ? { ok: true as const, value }
        : parseNumber(input, { unit, min, max, decimals, label, whole, legal });
    report(result.ok ? null : result.sentence);
    if (result.ok && result.value !== value) props.onCommit(result.value);
  }

  function onKeyDown(event: KeyboardEvent<HTMLInputElement>): void {
    if (event.key === 'Enter') {
      accept();
      event.currentTarget.blur();
    } else if (event.key === 'Escape' && draft !== null) {
      event.stopPropagation();
      write(null);
      report(null);
    } else if (event.key === 'ArrowUp' || event.key === 'ArrowDown') {
      event.preventDefault();
      const by = stepsFor(event.shiftKey) * (event.key === 'ArrowUp' ? 1 : -1);
      write(null);
      report(null);
      props.onCommit(stepped(value, by, props));
    }
  }

  return (
    <span className={styles.field}>
      {was !== undefined && <s>{fixed(was, decimals)}</s>}
      <input
        type="text"
        role="spinbutton"
        inputMode="decimal"
        autoComplete="off"
        spellCheck={false}
        aria-label={label}
        aria-valuemin={min}
        aria-valuemax={max}
        aria-valuenow={value}
        aria-valuetext={text({ value: shown, unit })}
        aria-invalid={problem !== null}
        aria-describedby={problem && !props.onProblem ? problemId : undefined}
        style={{ width: widthOf(draft ?? shown) }}
        value={draft ?? shown}
        disabled={disabled}
        onChange={(event) => write(event.target.value)}
        onBlur={accept}
        onKeyDown={onKeyDown}
        {...scrub}
      />
      {unit && <i>{unit}</i>}
      {problem && !props.onProblem && (
        <span className={styles.problem} id={problemId} role="alert">
          {problem}
        </span>
      )}
    </span>
  );
}

/** Digits are one `ch` wide; points, signs and narrow spaces less. */
const widthOf = (shown: string): string => {
  const narrow = shown.replace(/[^.,\s]/g, '').length;
  return `${Math.max(1, shown.length - narrow * 0.4)}ch`;
};

interface Scrub {
  readonly x: number;
  readonly from: number;
  moved: boolean;
  last: number;
}

/** Sideways drag: changes by steps, commits on release. A press without travel is a click. */
function useScrub(props: NumberFieldProps) {
  const scrub = useRef<Scrub | null>(null);

  function end(event: PointerEvent<HTMLInputElement>): void {
    const state = scrub.current;
    scrub.current = null;
    if (!state) return;
    if (event.currentTarget.hasPointerCapture(event.pointerId)) {
      event.currentTarget.releasePointerCapture(event.pointerId);
    }
    if (!state.moved) event.currentTarget.select();
    else event.currentTarget.blur();
    if (state.last !== state.from) props.onCommit(state.last);
  }

  return {
    onPointerDown(event: PointerEvent<HTMLInputElement>): void {
      const typing = document.activeElement === event.currentTarget;
      if (props.disabled || typing || event.button !== 0) return;
      scrub.current = { x: event.clientX, from: props.value, moved: false, last: props.value };
      event.currentTarget.setPointerCapture(event.pointerId);
    },
    onPointerMove(event: PointerEvent<HTMLInputElement>): void {
      const state = scrub.current;
      if (!state) return;
      const travel = event.clientX - state.x;
      if (!state.moved && Math.abs(travel) < SLOP_PX) return;
      state.moved = true;
      const pixels = props.legal ? LEGAL_PX : STEP_PX;
      const by = Math.round(travel / pixels) * stepsFor(event.shiftKey);
      const next = stepped(state.from, by, props);
      if (next === state.last) return;
      state.last = next;
      props.onInput?.(next);
    },
    onPointerUp: end,
    onPointerCancel: end,
  };
}
