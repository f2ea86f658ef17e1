import { signedPercent, significant } from '../../base/format';
import { type HintEffect, rateOf } from '../../model/diagnosis/hint-effects';
import type { CompiledPart } from '../../model/scenario/compiled';
import { ActorSign } from '../../widgets/ActorSign';
import styles from './Hints.module.css';

/** Width of a sparkline. */
const WIDTH = 34;
const HEIGHT = 14;

/** Changes at the lower and upper edge, the same in every cell. */
interface Scale {
  readonly down: number;
  readonly up: number;
}

function pathOf(along: readonly number[], { down, up }: Scale): string {
  const x = (i: number) => Math.round((i / (along.length - 1)) * WIDTH);
  const y = (change: number) =>
    1 + Math.round(((up - change) / (up - down)) * (HEIGHT - 2) * 10) / 10;
  return along.map((change, i) => `${i ? 'L' : 'M'}${x(i)} ${y(change)}`).join('');
}

interface EffectsProps {
  readonly effects: readonly HintEffect[];
  readonly scale: Scale;
  readonly words: (value: number) => string;
}

/**
 * The largest effect of a hint's other values, and its device; and a sparkline from the smallest value to the
 * largest.
 */
export function Effects({ effects, scale, words }: EffectsProps) {
  const changes = effects.filter(({ change }) => change !== 0);
  return (
    <span className={styles.effects} data-flat={changes.length === 0 || undefined}>
      <svg width={WIDTH} height={HEIGHT} aria-hidden="true" className={styles.spark}>
        {effects.map(({ part, along, change }) => (
          <path key={part.name} d={pathOf(along, scale)} className={change ? '' : styles.flat} />
        ))}
      </svg>
      {changes.length === 0 && 'flat'}
      {changes.map(({ part, change, value }) => (
        <span key={part.name} className={styles.effect} title={part.title}>
          <ActorSign actor={part.type.actor} size={8} />
          <span className="visually-hidden">{part.title}, </span>
          {`${words(value)} ${signedPercent(change * 100)}`}
        </span>
      ))}
    </span>
  );
}

interface EffectsKeyProps {
  readonly base: Parameters<typeof rateOf>[0];
  readonly devices: readonly CompiledPart[];
  readonly scale: Scale;
}

/** The present throughput of each device, and the scale of the sparklines. */
export function EffectsKey({ base, devices, scale }: EffectsKeyProps) {
  return (
    <p>
      As it is:{' '}
      {devices.map((part, i) => (
        <span key={part.name}>
          {i > 0 && ', '}
          <ActorSign actor={part.type.actor} size={8} /> {part.title}{' '}
          {significant(rateOf(base, part), 4)} MB/s
        </span>
      ))}
      . Each cell shows the other value that changes most, and a line over all values, from{' '}
      {signedPercent(scale.down * 100, 0)} to {signedPercent(scale.up * 100, 0)}.
    </p>
  );
}
