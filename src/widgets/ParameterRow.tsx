import { type ReactNode, useId, useState } from 'react';
import { fixed, text } from '../base/format';
import type { Legal } from '../model/scenario/editable-param';
import { BasisBadge, type Origin } from './BasisBadge';
import { Button } from './Button';
import { NumberField } from './NumberField';
import styles from './ParameterRow.module.css';
import { Slider } from './Slider';

export interface ParameterRowProps {
  readonly label: string;
  /** Shown in place of the label text. */
  readonly words?: ReactNode;
  /** One sentence of documentation, shown when the pointer is on the label. */
  readonly doc?: string | undefined;
  readonly value: number;
  readonly unit: string;
  readonly min: number;
  readonly max: number;
  readonly step: number;
  readonly decimals: number;
  /** Base units per unit of an integer, and the permitted values if not all are. */
  readonly whole?: number | null | undefined;
  readonly legal?: Legal | null | undefined;
  /** Range of the slider, if narrower than what may be typed. */
  readonly track?: { readonly min: number; readonly max: number; readonly log: boolean };
  /** Tick on the track. */
  readonly defaultValue?: number | undefined;
  /** Value before the last edit: struck through beside the number, a double tick on the track. */
  readonly was?: number | undefined;
  readonly origin: Origin;
  readonly disabled?: boolean;
  /** The compiler's reason for refusing this value. */
  readonly refused?: string | undefined;
  /** Opens a sweep of the parameter, if its runs can be compared. */
  onSweep?(): void;
  onInput(value: number): void;
  onCommit(value: number): void;
}

/** One parameter of a part: label and value on the first line, slider and basis on the second. */
export function ParameterRow(props: ParameterRowProps) {
  const {
    label,
    words,
    doc,
    value,
    unit,
    min,
    max,
    step,
    decimals,
    whole,
    legal,
    was,
    origin,
    track = { min, max, log: false },
    disabled = false,
  } = props;
  const [problem, setProblem] = useState<string | null>(null);
  const messageId = useId();
  const [typing, setTyping] = useState(false);
  const refused = problem ?? props.refused ?? null;
  const rule = legal && typing ? `It is ${legal.rule}.` : null;
  const message = refused ?? rule;
  // A clock of 0 kHz means that the part has none: its times are as they are given.
  const isUnset = value === 0 && unit.endsWith('Hz');
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid out as a grid row
    <div
      className={styles.row}
      role="group"
      aria-label={label}
      aria-describedby={message ? messageId : undefined}
      data-refused={refused !== null || undefined}
      data-disabled={disabled || undefined}
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: it only records whether the field has the focus */}
      <span className={styles.line} onFocus={() => setTyping(true)} onBlur={() => setTyping(false)}>
        <span
          className={styles.label}
          title={legal ? `${doc ?? ''} It is ${legal.rule}.`.trim() : doc}
        >
          {words ?? label}
          {isUnset && <em> not set</em>}
        </span>
        <NumberField
          {...{ label, value, unit, min, max, step, decimals, whole, legal, disabled, was }}
          onInput={props.onInput}
          onCommit={props.onCommit}
          onProblem={setProblem}
        />
      </span>
      <span className={styles.line}>
        <Slider
          {...{ label, value, step, legal, disabled, ...track }}
          defaultValue={props.defaultValue}
          ghost={was}
          format={(at) => text({ value: fixed(at, decimals), unit })}
          onInput={props.onInput}
          onCommit={props.onCommit}
        />
        {props.onSweep && (
          <Button look="link" aria-label={`Sweep ${label}`} onClick={props.onSweep}>
            Sweep
          </Button>
        )}
        <span className={styles.badge}>
          <BasisBadge {...origin} />
        </span>
      </span>
      {message && (
        <span
          className={refused ? styles.message : styles.rule}
          id={messageId}
          role={refused ? 'alert' : undefined}
        >
          {message}
        </span>
      )}
    </div>
  );
}
