import { useEffect } from 'react';
import { useEventHits } from '../../controllers/useEventHits';
import { useStore } from '../../controllers/useStore';
import { player } from '../../model/session/open-run';
import { useTerms } from '../../widgets/GlossaryText';

/** Searches for the events at which playback stops. */
export default function Stops() {
  const query = useStore(player.state, (state) => state.stopAt ?? '');
  const { search } = useEventHits('all', query, useTerms());
  useEffect(() => {
    if (!search) return;
    const { status, hits, timePs } = search;
    const isOver = status !== 'waiting' && status !== 'searching';
    player.setStops({ ...hits, toPs: isOver ? Number.POSITIVE_INFINITY : timePs });
  }, [search]);
  return null;
}
