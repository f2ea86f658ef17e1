import { count, text } from '../../base/format';
import { runTime } from '../../controllers/useRun';
import { useStore } from '../../controllers/useStore';
import type { OverviewModel } from '../../draw/run/overview';
import { type CompiledMachine, paramAt, shownValue } from '../../model/scenario/compiled';
import type { SessionCommand } from '../../model/session/document';
import { player } from '../../model/session/open-run';
import { session } from '../../model/session/session';
import styles from './Overview.module.css';

interface ChangeMarksProps {
  readonly model: OverviewModel;
  /** Height of the axis. */
  readonly base: number;
  readonly width: number;
  /** The time after the playhead is masked. */
  readonly ahead: boolean;
}

/** Narrower labels would show no whole word. */
const LEAST_LABEL = 48;
const GAP = 10;
/** Below the flags of bookmarks and the handle of the playhead. */
const SIGN_Y = 20;

function sentenceOf(machine: CompiledMachine, { param, value }: SessionCommand): string {
  const part = machine.parts.find(({ params }) => params.some(({ path }) => path === param));
  const title = paramAt(machine, param)?.spec.title ?? param;
  return `${part ? `${part.title}: ` : ''}${title} becomes ${shownValue(machine, param, value)}`;
}

/** Marks of changes during the run; each goes to its place. */
export function ChangeMarks({ model, base, width, ahead }: ChangeMarksProps) {
  useStore(player.state, (state) => state.recorded);
  const commands = useStore(session, (state) => state.commands);
  const machine = useStore(session, (state) => state.machine);
  const cursor = useStore(session, (state) => state.cursor);
  const times = player.recording()?.commandTimes;
  if (!machine || !times || commands.length === 0) return null;
  const places = [...new Set(commands.map(({ at }) => at))].flatMap((at) => {
    const timePs = times.get(at);
    if (timePs === undefined || (ahead && at > cursor)) return [];
    const changes = commands.filter((command) => command.at === at);
    const sentence = changes.map((change) => sentenceOf(machine, change)).join('; ');
    return [{ at, x: model.axis.at(timePs), timePs, sentence }];
  });
  return (
    <ol className={styles.changes} aria-label="Changes during the run">
      {places.map(({ at, x, timePs, sentence }, index) => {
        const room = (places[index + 1]?.x ?? width) - x - GAP;
        const name = `At ${text(runTime(timePs))}, after ${count(at, 'event')}: ${sentence}`;
        return (
          <li key={at} style={{ left: x }}>
            <button
              type="button"
              className={styles.change}
              style={{ height: base + 8 }}
              title={name}
              aria-label={name}
              onClick={() => {
                player.pause();
                void player.toEvents(at);
              }}
            >
              <svg width={11} height={base + 8} aria-hidden="true">
                <path d={`M5.5 ${SIGN_Y}V${base}`} />
                <path d={`M5.5 ${SIGN_Y - 5.5}l5 5.5l-5 5.5l-5-5.5z`} data-sign />
              </svg>
              {room >= LEAST_LABEL && <span style={{ maxWidth: room }}>{sentence}</span>}
            </button>
          </li>
        );
      })}
    </ol>
  );
}
