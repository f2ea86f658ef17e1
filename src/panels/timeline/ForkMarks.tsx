import { useState } from 'react';
import { text } from '../../base/format';
import { showToast } from '../../base/notices';
import { navigate } from '../../base/route';
import { runTime } from '../../controllers/useRun';
import { useStore } from '../../controllers/useStore';
import { branchPlaces, DESK_ROWS, RISE, ROW, THUMB_ROW, WIDTH } from '../../draw/run/fork-places';
import type { OverviewModel } from '../../draw/run/overview';
import { formatRunName, nameOf } from '../../model/report/comparison';
import type { Fork } from '../../model/session/document';
import { openFork, removeFork, renameFork } from '../../model/session/forks';
import { session } from '../../model/session/session';
import { Menu } from '../../widgets/Menu';
import { TextField } from '../../widgets/TextField';
import styles from './Overview.module.css';

/** Where less is left, it goes to the other side. */
const ROOM = 80;
async function goBack(fork: Fork): Promise<void> {
  const refused = await openFork(fork);
  showToast(
    refused
      ? `Fork ${fork.name} was not opened. ${refused.message}`
      : `This is fork ${fork.name}; undo brings back what was open.`,
  );
}

/** The fork is A, the open run is B. */
function compare({ name }: Fork): void {
  const { data, machine, scenario } = session.getState();
  if (!data || !machine) return;
  const a = formatRunName({ at: [], edited: true, fork: name });
  const b = formatRunName(nameOf(data, machine.variables));
  navigate({ view: 'compare', ...(scenario ? { scenario } : {}), params: { a, b } });
}

const selectField = (box: HTMLElement | null): void => box?.querySelector('input')?.select();

interface ForkMarksProps {
  readonly axis: OverviewModel['axis'];
  /** Height of the axis. */
  readonly base: number;
  readonly width: number;
  readonly narrow: boolean;
}

/** Kept versions as branches of the time bar; each has a menu. */
export function ForkMarks({ axis, base, width, narrow }: ForkMarksProps) {
  const forks = useStore(session, (state) => state.forks);
  const [renamed, rename] = useState<string | null>(null);
  if (forks.length === 0) return null;
  const inOrder = forks.toSorted((a, b) => a.timePs - b.timePs);
  const places = branchPlaces(
    inOrder.map(({ timePs, name }) => ({ x: axis.at(timePs), name })),
    narrow ? THUMB_ROW : DESK_ROWS,
  );
  return (
    <ol className={styles.forks} aria-label="Forks">
      {inOrder.map((fork, at) => {
        const x = axis.at(fork.timePs);
        const isLeft = x > width - ROOM;
        const { row, length } = places[at] ?? { row: 0, length: WIDTH };
        const top = base - RISE - ROW * row;
        return (
          <li
            key={fork.name}
            data-left={isLeft || undefined}
            style={{
              left: x,
              top,
              zIndex: forks.length - at,
              [isLeft ? 'paddingRight' : 'paddingLeft']: length,
            }}
          >
            {renamed === fork.name ? (
              // biome-ignore lint/a11y/noStaticElementInteractions: it only notes that the focus leaves the field
              <span ref={selectField} onBlur={() => rename(null)}>
                <TextField
                  label={`Name of fork ${fork.name}`}
                  value={fork.name}
                  onCommit={(next) => {
                    rename(null);
                    if (!renameFork(fork.name, next))
                      showToast(`Another fork has the name “${next}”.`);
                  }}
                />
              </span>
            ) : (
              <Branch
                fork={fork}
                length={length}
                rise={RISE + ROW * row}
                onRename={() => rename(fork.name)}
              />
            )}
          </li>
        );
      })}
    </ol>
  );
}

interface BranchProps {
  readonly fork: Fork;
  readonly length: number;
  readonly rise: number;
  onRename(): void;
}

function Branch({ fork, length, rise, onRename }: BranchProps) {
  const { name, timePs } = fork;
  const items = [
    { id: 'compare', title: 'Compare with what is open', run: () => compare(fork) },
    { id: 'back', title: 'Go back to it', run: () => void goBack(fork) },
    { id: 'rename', title: 'Rename', run: onRename },
    { id: 'remove', title: 'Remove', run: () => removeFork(name) },
  ];
  return (
    <Menu label={`Fork ${name} at ${text(runTime(timePs))}`} items={items} className={styles.fork}>
      <svg width={length} height={rise} aria-hidden="true">
        <path d={`M1 ${rise}V12C1 4 4 1.5 10 1.5H${length}`} />
      </svg>
      {name}
    </Menu>
  );
}
