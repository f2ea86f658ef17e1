import { signedPercent, significant } from '../../base/format';
import { type HintEffect, rateOf } from '../../model/diagnosis/hint-effects';
import type { CompiledPart } from '../../model/scenario/compiled';
import { ActorSign } from '../../widgets/ActorSign';
import styles from './Hints.module.css';

/** Width of a sparkline. */
const WIDTH = 18;
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

/** A line over all values of a hint, from the smallest to the largest, for each device. */
export function Sparkline({ effects, scale }: Omit<EffectsProps, 'words'>) {
  return (
    <svg
      width={WIDTH}
      height={HEIGHT}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
      className={styles.spark}
      data-flat={effects.every(({ change }) => !change) || undefined}
    >
      {effects.map((effect) => (
        <path
          key={effect.part.name}
          d={pathOf(effect.along, scale)}
          className={effect.change ? '' : styles.flat}
        />
      ))}
    </svg>
  );
}

/** The largest effect of a hint's other values, and the device on which it falls; all of them on request. */
export function Effects({ effects, words }: Omit<EffectsProps, 'scale'>) {
  // A sign that all devices share tells none of them apart.
  const hasSigns = new Set(effects.map(({ part }) => part.type.actor)).size > 1;
  const changes = effects
    .filter(({ change }) => change !== 0)
    .sort((a, b) => Math.abs(b.change) - Math.abs(a.change));
  const [largest] = changes;
  if (!largest) return <span className="visually-hidden">flat</span>;
  const percentOf = ({ change }: HintEffect) =>
    signedPercent(change * 100, Math.abs(change) < 0.1 ? 1 : 0);
  const inWords = (effect: HintEffect) => `${words(effect.value)} ${percentOf(effect)}`;
  return (
    <span
      className={styles.effect}
      title={changes.map((effect) => `${effect.part.title}: ${inWords(effect)}`).join('\n')}
    >
      {hasSigns && <ActorSign actor={largest.part.type.actor} size={8} />}
      <span className="visually-hidden">{largest.part.title}, </span>
      <span className={styles.other}>{words(largest.value)} </span>
      {percentOf(largest)}
      {changes.slice(1).map((effect) => (
        <span key={effect.part.name} className="visually-hidden">
          , {effect.part.title}, {inWords(effect)}
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
      {devices.map((part, i) => (
        <span key={part.name}>
          {i > 0 ? ', ' : 'As it is: '}
          <ActorSign actor={part.type.actor} size={8} /> {part.title}{' '}
          {significant(rateOf(base, part), 4)} MB/s
        </span>
      ))}
      {devices.length > 0 && '. '}Each cell shows the largest change that another value makes, and a
      line over all values for each device, from {signedPercent(scale.down * 100, 0)} to{' '}
      {signedPercent(scale.up * 100, 0)}.
    </p>
  );
}
