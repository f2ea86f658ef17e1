import { useEffect } from 'react';
import { createStore, watch } from '../../base/store';
import {
  coherentLog,
  coherentMoment,
  selectedPlaces,
  subscribeHighlights,
} from '../../controllers/useCoherence';
import { useStore } from '../../controllers/useStore';
import { type CoherentMachine, PAGE_BYTES } from '../../model/coherence/coherence-roles';
import type { Places } from '../../model/coherence/selected-lines';
import { player } from '../../model/session/open-run';
import { session } from '../../model/session/session';

const pageOf = (address: number): number => address - (address % PAGE_BYTES);

/** The page of a selection: of an address, or of the translation in a TLB row. */
function pageOfPlaces(coherent: CoherentMachine, { address, chain }: Places): number | null {
  const { memory, tlb } = coherent;
  if (address !== null) return pageOf(address);
  if (chain === null || !tlb || !memory) return null;
  const rows = coherentMoment(coherent)?.view(tlb.part, 'tlb');
  if (!rows?.column('valid')?.[chain]) return null;
  const page = (rows.column('page')?.[chain] ?? 0) * PAGE_BYTES;
  return page >= memory.from && page < memory.from + memory.bytes ? page : null;
}

/** Pages that crossed the bus, by address. */
export function usedPages(coherent: CoherentMachine): number[] {
  const pages = [...(coherentLog(coherent)?.pages.keys() ?? [])];
  return pages.sort((a, b) => a - b);
}

function busiest(coherent: CoherentMachine): number {
  const pages = [...(coherentLog(coherent)?.pages.values() ?? [])];
  const first = coherent.memory?.from ?? 0;
  return pages.reduce((best, page) => (page.count > best.count ? page : best), {
    address: first,
    count: 0,
  }).address;
}

/** The chosen page, kept when the panel is maximised or closed, until another scenario is opened. */
const choice = createStore<{ page: number | null }>({ page: null });
watch(
  session,
  ({ opened }) => opened,
  () => choice.setState({ page: null }),
);

/** The page shown: chosen from the menu, else that of the selection, else the busiest of the run. */
export function useShownPage(
  coherent: CoherentMachine | null,
): readonly [number, (page: number) => void] {
  useStore(player.state, (state) => state.recorded);
  const chosen = useStore(choice, (state) => state.page);
  useEffect(() => {
    if (!coherent) return;
    return subscribeHighlights(() => {
      const page = pageOfPlaces(coherent, selectedPlaces(coherent));
      if (page !== null) choice.setState({ page });
    });
  }, [coherent]);
  const memory = coherent?.memory;
  const isThere =
    memory && chosen !== null && chosen >= memory.from && chosen < memory.from + memory.bytes;
  const page = isThere ? chosen : coherent ? busiest(coherent) : 0;
  return [page, (next) => choice.setState({ page: next })];
}
