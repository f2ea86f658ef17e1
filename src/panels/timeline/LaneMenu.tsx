import { useRef, useState } from 'react';
import { useStore } from '../../controllers/useStore';
import { laneGroups } from '../../draw/run/folded-lanes';
import {
  type LaneChoice,
  NO_CHOICE,
  withFolded,
  withHidden,
  withMoved,
  withPinned,
} from '../../draw/run/lane-choice';
import { chosenLanes, laneName } from '../../draw/run/run-lanes';
import { player } from '../../model/session/open-run';
import { session } from '../../model/session/session';
import { Button, IconButton } from '../../widgets/Button';
import { Popover } from '../../widgets/Popover';
import styles from './LaneMenu.module.css';
import { laneArea } from './lane-area';
import { laneChoice } from './lane-choice';

const change = (make: (choice: LaneChoice) => LaneChoice): void =>
  laneChoice.setState(make(laneChoice.getState()), true);

/** A button in the corner of the lanes: which of them are shown, and in which order. */
export function LaneMenu() {
  const anchor = useRef<HTMLButtonElement>(null);
  const [isOpen, open] = useState(false);
  const isChoosing = useStore(laneArea, (state) => state.isChoosing);
  return (
    <div className={styles.corner}>
      <button
        ref={anchor}
        type="button"
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        title="Show, hide, pin and move lanes"
        onClick={() => open(!isOpen)}
      >
        Lanes…
      </button>
      <button
        type="button"
        aria-pressed={isChoosing}
        title="Drag over the lanes to choose an area (Shift and drag; [ and ] with the keyboard)"
        onClick={() => laneArea.setState({ isChoosing: !isChoosing })}
      >
        Area
      </button>
      {isOpen && (
        <Popover anchor={anchor} label="Lanes" onClose={() => open(false)}>
          <LaneList />
        </Popover>
      )}
    </div>
  );
}

function LaneList() {
  const machine = useStore(session, (state) => state.machine);
  const tracks = useStore(session, (state) => state.data?.view.lanes) ?? [];
  const choice = useStore(laneChoice);
  const trace = player.trace();
  if (!machine || !trace) return null;
  const lanes = chosenLanes(machine, trace, tracks, { ...choice, hidden: [] });
  const groups = laneGroups(machine, lanes);
  const names = lanes.map((lane) => laneName(machine, lane));
  return (
    <div className={styles.list}>
      <ul>
        {lanes.map((lane, index) => {
          const name = names[index] ?? '';
          const part = machine.parts[lane.part];
          const title =
            (part?.type.tracks.length ?? 0) < 2
              ? (part?.title ?? lane.title)
              : `${part?.title}, ${lane.title}`;
          const isPinned = choice.pinned.includes(name);
          return (
            <li key={name}>
              <label>
                <input
                  type="checkbox"
                  checked={!choice.hidden.includes(name)}
                  onChange={() => change((now) => withHidden(now, name))}
                />
                {title}
              </label>
              <Button
                size="small"
                aria-pressed={isPinned}
                aria-label={`Pin ${title}`}
                onClick={() => change((now) => withPinned(now, name))}
              >
                {isPinned ? 'Pinned' : 'Pin'}
              </Button>
              <IconButton
                icon="up"
                label={`Move ${title} up`}
                disabled={index === 0}
                onClick={() => change((now) => withMoved(now, names, name, -1))}
              />
              <IconButton
                icon="down"
                label={`Move ${title} down`}
                disabled={index === names.length - 1}
                onClick={() => change((now) => withMoved(now, names, name, 1))}
              />
            </li>
          );
        })}
      </ul>
      {groups.length > 0 && (
        <fieldset>
          <legend>Fold into one line</legend>
          {groups.map(({ type, title }) => (
            <label key={type}>
              <input
                type="checkbox"
                checked={choice.folded.includes(type)}
                onChange={() => change((now) => withFolded(now, type))}
              />
              {title}
            </label>
          ))}
        </fieldset>
      )}
      <Button look="link" onClick={() => change(() => NO_CHOICE)}>
        As the scenario shows them
      </Button>
    </div>
  );
}
