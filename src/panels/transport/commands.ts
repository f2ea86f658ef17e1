import type { Command } from '../../base/commands';
import { shell } from '../../base/shell';
import type { RunPlayer } from '../../model/opened';
import type { StepUnit } from '../../model/player';

const SECTION = 'Time';

/** In a lecture hall the keys of a clicker go from one told event to the next. */
const unitNow = (player: RunPlayer): StepUnit | 'story' =>
  shell.getState().lecture ? 'story' : player.state.getState().unit;

export function transportCommands(player: RunPlayer): readonly Command[] {
  const ready = () => player.state.getState().status === 'ready';
  const make = (id: string, title: string, keys: string[], run: () => unknown): Command => ({
    id: `time.${id}`,
    title,
    section: SECTION,
    keys,
    when: ready,
    run: () => void run(),
  });
  return [
    make('toggle', 'Play or pause', ['Space'], () => player.toggle()),
    {
      ...make('next', 'Step forward', ['ArrowRight', 'PageDown'], () =>
        player.step(1, unitNow(player)),
      ),
      brief: 'next event',
    },
    {
      ...make('back', 'Step back', ['ArrowLeft', 'PageUp'], () => player.step(-1, unitNow(player))),
      brief: 'back',
    },
    make('story-next', 'Next told event', ['N'], () => player.step(1, 'story')),
    make('story-back', 'Previous told event', ['P'], () => player.step(-1, 'story')),
    make('first', 'Go to the start', ['Home'], () => player.first()),
    make('last', 'Go to the end', ['End'], () => player.last()),
    make('unit-event', 'Step by event', ['1'], () => player.setUnit('event')),
    make('unit-transaction', 'Step by transaction', ['2'], () => player.setUnit('transaction')),
    make('unit-us', 'Step by microsecond', ['3'], () => player.setUnit('microsecond')),
    make('faster', 'Faster', ['+'], () => player.changeSpeed(1)),
    make('slower', 'Slower', ['-'], () => player.changeSpeed(-1)),
    make('bookmark', 'Bookmark here, or take it away', ['B'], () => player.toggleBookmark()),
  ];
}
