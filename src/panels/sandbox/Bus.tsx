import { useStore } from '../../controllers/useStore';
import type { FilmAnswer, FilmPacket, FilmPlace } from '../../model/sandbox/step-film';
import { ActorSign } from '../../widgets/ActorSign';
import styles from './Bus.module.css';
import common from './common.module.css';
import { filming } from './film-state';
import { play } from './sandbox-state';

const SNOOPS = {
  none: 'processors snoop, the adapter does not',
  snooped: 'processors and the adapter snoop',
  coherent: 'processors and the adapter snoop',
} as const;

const ACTORS = { cpu0: 'cpu', cpu1: 'cpu', memory: 'mem', disk: 'disk' } as const;

/** The shown step on the bus: its request, the answers to it, and the data. */
export function Bus() {
  const { rules } = useStore(play);
  const { film, phase } = useStore(filming);
  const isData = phase === 'data' || phase === 'change' || phase === 'over';
  const packet = isData && film?.data ? film.data : (film?.request ?? null);
  return (
    <div className={styles.bus}>
      <b>Bus</b>
      <span className={common.quiet}>{SNOOPS[rules.adapter]}</span>
      {packet ? (
        <Packet
          key={isData ? 'data' : 'request'}
          packet={packet}
          by={isData ? 'data' : 'request'}
        />
      ) : (
        <span className={`${styles.none} ${common.quiet}`}>nothing about a line</span>
      )}
      {phase !== 'request' && film?.answers.map((one) => <Answer key={one.place} answer={one} />)}
    </div>
  );
}

/** A flag that travels from one part's wire to another's. */
function Packet({ packet, by }: { readonly packet: FilmPacket; readonly by: 'request' | 'data' }) {
  const { from, to, text } = packet;
  const actor = ACTORS[from];
  return (
    <code
      className={styles.packet}
      data-actor={actor}
      data-from={from}
      data-to={to}
      data-by={by}
      data-side={sideOf(from)}
    >
      <ActorSign actor={actor} size={12} /> {text}
    </code>
  );
}

const sideOf = (place: FilmPlace) => (place === 'cpu0' || place === 'cpu1' ? 'above' : 'below');

/** A part's answer at its wire: solid if it acts, dashed if it does not. */
function Answer({ answer: { place, text, acts } }: { readonly answer: FilmAnswer }) {
  return (
    <span
      className={styles.answer}
      data-at={place}
      data-side={sideOf(place)}
      data-acts={acts || undefined}
    >
      {text}
    </span>
  );
}
