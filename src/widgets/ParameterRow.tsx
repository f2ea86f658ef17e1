import { useId, useState } from 'react';
import { fixed, text } from '../base/format';
import { BasisBadge, type Origin } from './BasisBadge';
import { NumberField } from './NumberField';
import styles from './ParameterRow.module.css';
import { Slider } from './Slider';

export interface ParameterRowProps {
  readonly label: string;
  /** One sentence of documentation, shown on hover of the label. */
  readonly doc?: string | undefined;
  readonly value: number;
  readonly unit: string;
  readonly min: number;
  readonly max: number;
  readonly step: number;
  readonly decimals: number;
  /** What the slider spans, if that is less than may be typed. */
  readonly track?: { readonly min: number; readonly max: number; readonly log: boolean };
  /** Tick on the track. */
  readonly defaultValue?: number | undefined;
  /** Value before the last edit: struck through beside the number, double tick on the track. */
  readonly was?: number | undefined;
  readonly origin: Origin;
  readonly disabled?: boolean;
  /** Why the machine refuses this value, if it does. */
  readonly refused?: string | undefined;
  onInput(value: number): void;
  onCommit(value: number): void;
}

/** One parameter of a part: label and value on the first line, slider and source on the second. */
export function ParameterRow(props: ParameterRowProps) {
  const {
    label,
    doc,
    value,
    unit,
    min,
    max,
    step,
    decimals,
    was,
    origin,
    track = { min, max, log: false },
    disabled = false,
  } = props;
  const [problem, setProblem] = useState<string | null>(null);
  const messageId = useId();
  const message = problem ?? props.refused ?? null;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid out as a grid row
    <div
      className={styles.row}
      role="group"
      aria-label={label}
      aria-describedby={message ? messageId : undefined}
      data-refused={message !== null || undefined}
      data-disabled={disabled || undefined}
    >
      <span className={styles.line}>
        <span className={styles.label} title={doc}>
          {label}
        </span>
        <NumberField
          {...{ label, value, unit, min, max, step, decimals, disabled, was }}
          onInput={props.onInput}
          onCommit={props.onCommit}
          onProblem={setProblem}
        />
      </span>
      <span className={styles.line}>
        <Slider
          {...{ label, value, step, disabled, ...track }}
          defaultValue={props.defaultValue}
          ghost={was}
          format={(at) => text({ value: fixed(at, decimals), unit })}
          onInput={props.onInput}
          onCommit={props.onCommit}
        />
        <span className={styles.badge}>
          <BasisBadge {...origin} />
        </span>
      </span>
      {message && (
        <span className={styles.message} id={messageId} role="alert">
          {message}
        </span>
      )}
    </div>
  );
}
