import { useEffect, useState } from 'react';
import { useStore } from '../../controllers/useStore';
import { Slices } from '../../engine/run-slices';
import { player } from '../../model/session/open-run';
import type { Listed } from '../../model/session/recorder';
import { eventTest } from '../../model/trace/event-search';
import { useTerms } from '../../widgets/GlossaryText';
import { type Source, sourceOf } from './source';

/** Events examined between two checks of the clock. */
const AT_ONCE = 64;

async function searched(
  source: Source,
  test: NonNullable<ReturnType<typeof eventTest>>,
  isOver: () => boolean,
): Promise<number[]> {
  const trace = player.trace();
  const found: number[] = [];
  const slices = new Slices();
  for (let index = 0; trace && index < source.length; index++) {
    if (index % AT_ONCE === 0 && slices.isOver) {
      await slices.pause();
      if (isOver()) return found;
    }
    const seq = source.seqAt(index);
    if (test(trace, seq)) found.push(seq);
  }
  return found;
}

/** The listed events that match the words; null without words. Earlier hits stay until there are more. */
export function useEventSearch(listed: Listed, words: string): readonly number[] | null {
  const recorded = useStore(player.state, (state) => state.recorded);
  const terms = useTerms();
  const [found, setFound] = useState<readonly number[] | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the trace is searched again as it grows
  useEffect(() => {
    const test = eventTest(words, terms);
    if (!test) {
      setFound(null);
      return;
    }
    let over = false;
    void searched(sourceOf(listed), test, () => over).then((all) => {
      if (!over) setFound(all);
    });
    return () => {
      over = true;
    };
  }, [listed, words, terms, recorded]);
  return found;
}
