import { useEffect } from 'react';
import { announce } from '../../base/notices';
import type { RunPlayer } from '../../model/session/open-run';
import { currentEvent, currentEventSentence } from '../../model/session/presented-event';

/** While playing, at most one sentence is announced per interval. */
const PAUSE_MS = 1000;

/** Announces events: each one while stepping, at most one a second while playing. */
export function useSpeech(player: RunPlayer): void {
  useEffect(() => {
    let announced = currentEvent();
    let at = 0;
    return player.onFrame(() => {
      const event = currentEvent();
      if (event === null || event === announced) return;
      const now = performance.now();
      if (player.state.getState().playing && now - at < PAUSE_MS) return;
      announced = event;
      at = now;
      announce(currentEventSentence());
    });
  }, [player]);
}
