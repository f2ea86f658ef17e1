import type { Command } from '../../base/commands';
import { showToast } from '../../base/notices';
import { fetched } from '../../base/retry-import';
import { shell } from '../../base/shell-state';
import { showsOneRun } from '../../controllers/machine-features';
import { stepForward } from '../../controllers/step-forward';
import { MOST_FORKS } from '../../model/session/document';
import type { RunPlayer } from '../../model/session/open-run';
import { toggleBookmark } from '../../model/session/session';

const SECTION = 'Time';

/** Keys work in every mode of the view, also while the buttons are hidden. */
const here = (): boolean => showsOneRun.getState();

/** The player is loaded with the view; these definitions are loaded with the page. */
async function withPlayer(act: (player: RunPlayer) => unknown): Promise<void> {
  const { player } = await fetched(() => import('../../model/session/open-run'));
  act(player);
}

const make = (
  id: string,
  title: string,
  keys: readonly string[],
  act: (player: RunPlayer) => unknown,
): Command => ({
  id: `time.${id}`,
  title,
  section: SECTION,
  keys,
  when: here,
  run: () => void withPlayer(act),
});

/** Bookmarks the playhead after pending steps are made. */
export async function bookmarkHere(player: RunPlayer): Promise<void> {
  const { timePs } = await player.resting();
  toggleBookmark(timePs);
}

/** Keeps the present version as a fork at the playhead. */
export async function forkHere(player: RunPlayer): Promise<void> {
  const { timePs, events } = await player.resting();
  const { keepFork } = await fetched(() => import('../../model/session/forks'));
  const fork = keepFork({ timePs, events });
  showToast(
    fork
      ? `Fork ${fork.name} keeps this version. What you change now is another branch.`
      : `A session has at most ${MOST_FORKS} forks. Remove one first.`,
  );
}

/** On a projector the keys of a clicker go from one new thing to the next. */
async function step(player: RunPlayer, by: 1 | -1): Promise<unknown> {
  if (!shell.getState().lecture) return by > 0 ? stepForward(player) : player.step(by);
  const { lectureStep } = await fetched(() => import('../../model/lesson/lecture'));
  return lectureStep(by);
}

const forward = (player: RunPlayer) => step(player, 1);
const back = (player: RunPlayer) => step(player, -1);

/** Id of the button that opens the list of stop events. */
export const STOP_CHOICE = 'stop-choice';

/**
 * Goes to the next or previous event of the chosen kind; if none is chosen, focuses the button that offers
 * them.
 */
async function toStop(player: RunPlayer, by: 1 | -1): Promise<void> {
  if (player.state.getState().stopAt !== null) {
    await player.step(by, 'stop');
    return;
  }
  const choice = shownChoice();
  if (!choice) return;
  choice.focus();
  showToast('No event to stop at is chosen. Enter opens the list of events.');
}

/** The button that offers the stop events; says so where there is no room for it. */
function shownChoice(): HTMLElement | null {
  const choice = document.getElementById(STOP_CHOICE);
  if (choice?.checkVisibility()) return choice;
  showToast('No event to stop at is chosen. A wider window has the choice "Stop when".');
  return null;
}

// A dialog that closes returns the focus first.
const openStopChoice = () => setTimeout(() => shownChoice()?.click());

export const timeCommands: readonly Command[] = [
  { ...make('next', 'Step forward', ['ArrowRight', 'PageDown'], forward), brief: 'next new thing' },
  { ...make('back', 'Step back', ['ArrowLeft', 'PageUp'], back), brief: 'back' },
  make('toggle', 'Play or pause', ['Space'], (player) => player.toggle()),
  {
    ...make('backwards', 'Play backwards', ['J'], (player) => player.playBackwards()),
    keywords: ['reverse', 'rewind'],
  },
  make('story-next', 'Next notable event', ['N'], (player) => stepForward(player, 'notable')),
  make('story-back', 'Previous notable event', ['P'], (player) => player.step(-1, 'notable')),
  make('stop-next', 'Next event that stops', ['S'], (player) => toStop(player, 1)),
  make('stop-back', 'Previous event that stops', ['Shift+S'], (player) => toStop(player, -1)),
  { ...make('stop-when', 'Stop when…', [], openStopChoice), keywords: ['breakpoint', 'event'] },
  make('first', 'Go to the start', ['Home'], (player) => player.first()),
  make('last', 'Go to the end', ['End'], (player) => player.last()),
  make('unit-event', 'Step by event', ['1'], (player) => player.setUnit('event')),
  make('unit-transaction', 'Step by transaction', ['2'], (p) => p.setUnit('transaction')),
  make('unit-us', 'Step by microsecond', ['3'], (player) => player.setUnit('microsecond')),
  { ...make('faster', 'Faster', ['+'], (player) => player.changeSpeed(1)), keywords: ['speed'] },
  { ...make('slower', 'Slower', ['-'], (player) => player.changeSpeed(-1)), keywords: ['speed'] },
  make('bookmark', 'Toggle a bookmark here', ['B'], bookmarkHere),
  {
    ...make('fork', 'Fork here: keep this version', ['F'], forkHere),
    keywords: ['branch', 'version', 'keep'],
  },
];
