import { emptyCell, type LineState, stateCell } from '../../draw/state-cell';
import { ActorSign } from '../../widgets/ActorSign';
import { ShapeView } from '../../widgets/ShapeView';
import { SvgView } from '../../widgets/SvgView';
import styles from './HeroMachine.module.css';
import type { HeroRun, HeroState } from './hero-run';

/** Before the first press nothing has run: as the machine is when it starts. */
export const AT_START: HeroState = {
  cached: 'nothing',
  memory: 'yesterday',
  disk: 'nothing',
  isCurrent: true,
};

const DAYS = { today: 'today’s', yesterday: 'yesterday’s' } as const;

interface HeroMachineProps {
  readonly state: HeroState;
  /** The film that is playing, and its phase. */
  readonly playing: {
    readonly film: HeroRun['films'][number];
    readonly phase: 'request' | 'answers' | 'data' | 'change' | 'over';
  } | null;
}

/** Four parts on a bus, and what they hold of a file. */
export function HeroMachine({ state, playing }: HeroMachineProps) {
  const { cached, memory, disk, isCurrent } = state;
  const unasked =
    playing?.film.film.request?.from === 'disk' &&
    (playing.phase === 'answers' || playing.phase === 'data');
  return (
    <div className={styles.machine}>
      <Part at="cpu" actor="cpu" title="Processor" note="and its cache">
        <Held
          state={cached === 'nothing' ? 'invalid' : 'dirty'}
          value={cached === 'nothing' ? 'no copy' : DAYS[cached]}
          label={cached === 'nothing' ? 'of the file' : 'newer than memory'}
        />
        {unasked && <span className={styles.unasked}>nobody asks</span>}
      </Part>
      <Part at="memory" actor="mem" title="Memory">
        <Held
          state={isCurrent ? null : 'stale'}
          value={DAYS[memory]}
          label={isCurrent ? 'up to date' : 'out of date'}
        />
      </Part>
      <div className={styles.bus}>
        <b>Bus</b>
        <Travelling playing={playing} />
      </div>
      <Part at="adapter" actor="adapter" title="Disk adapter">
        <p className={styles.does}>reads memory, asks no cache</p>
      </Part>
      <Part at="disk" actor="disk" title="Disk">
        <Held
          state={disk === 'yesterday' ? 'stale' : null}
          isEmpty={disk === 'nothing'}
          value={disk === 'nothing' ? 'nothing yet' : DAYS[disk]}
          label={disk === 'nothing' ? 'waits for the file' : 'written to disk'}
        />
      </Part>
    </div>
  );
}

interface PartProps {
  readonly at: 'cpu' | 'memory' | 'adapter' | 'disk';
  readonly actor: string;
  readonly title: string;
  readonly note?: string;
  readonly children: React.ReactNode;
}

function Part({ at, actor, title, note, children }: PartProps) {
  return (
    <div className={styles.part} data-at={at}>
      <h3>
        <ActorSign actor={actor} size={14} /> {title}
        {note && <span>{note}</span>}
      </h3>
      {children}
    </div>
  );
}

interface HeldProps {
  /** Null: up to date, without a state of its own. */
  readonly state: LineState | null;
  readonly isEmpty?: boolean;
  readonly value: string;
  readonly label: string;
}

function Held({ state, isEmpty, value, label }: HeldProps) {
  const shapes = state === null ? emptyCell(0, 0, 18, 18) : stateCell(0, 0, 18, 18, state);
  return (
    <div className={styles.held}>
      <span key={value + label} className={styles.cell} data-empty={isEmpty || undefined}>
        <SvgView width={18} height={18} fit="width">
          <ShapeView shapes={isEmpty ? [] : shapes} />
        </SvgView>
      </span>
      <span>
        <b data-old={state === 'stale' || undefined}>{value}</b>
        <span>{label}</span>
      </span>
    </div>
  );
}

/** The flag of the request, then that of the data. Its place comes from the film's shares in CSS variables. */
function Travelling({ playing }: Pick<HeroMachineProps, 'playing'>) {
  if (!playing || playing.phase === 'over' || playing.phase === 'change') return null;
  const { film, data } = playing.film;
  const isData = playing.phase === 'data';
  const packet = isData ? film.data : film.request;
  if (!packet) return null;
  const actor = packet.from === 'memory' ? 'mem' : packet.from === 'disk' ? 'disk' : 'cpu';
  return (
    <code
      className={styles.packet}
      data-by={isData ? 'data' : 'request'}
      data-from={packet.from}
      data-to={isData ? packet.to : 'memory'}
    >
      <ActorSign actor={actor} size={13} /> {isData ? DAYS[data] : packet.text}
    </code>
  );
}
