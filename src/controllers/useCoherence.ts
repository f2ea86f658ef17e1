/** The session's coherent machine in components: its roles, its state and its selection. */
import { useEffect } from 'react';
import { drawnViews, momentOf } from '../draw/machine/moment';
import type { MachineLayout } from '../draw/machine/types';
import type { Moment } from '../draw/moment';
import { type CoherenceLog, coherenceLog } from '../model/coherence/coherence-log';
import { type CoherentMachine, coherentMachine, viewsOf } from '../model/coherence/coherence-roles';
import { joined, type Places, placesOf } from '../model/coherence/selected-lines';
import { answerMask } from '../model/lesson/answer-mask';
import { player } from '../model/session/open-run';
import { pointed, type Selection, selection } from '../model/session/selection';
import { session } from '../model/session/session';
import { useStore } from './useStore';

export function useCoherent(): CoherentMachine | null {
  const machine = useStore(session, (state) => state.machine);
  return machine && coherentMachine(machine);
}

/** Requests these views with every frame. `wanted` must be the same array while nothing changed. */
export function useViews(coherent: CoherentMachine, views: Parameters<typeof viewsOf>[1]): void {
  useEffect(() => player.want(viewsOf(coherent, views)), [coherent, views]);
}

export function coherentMoment({ machine: { parts } }: CoherentMachine): Moment | null {
  const [frame, trace] = [player.frame(), player.trace()];
  if (!frame || !trace || frame.counters.length !== parts.length) return null;
  return momentOf({ parts, frame, trace, now: player.now(), masks: answerMask.getState()?.masks });
}

export function coherentLog(coherent: CoherentMachine): CoherenceLog | null {
  const trace = player.trace();
  return trace && coherenceLog(trace, coherent);
}

/** The places of a selection on both sides of the adapter, by the translations at the playhead. */
export function highlightedLines(coherent: CoherentMachine, what: Selection): Places {
  const { tlb } = coherent;
  const rows = tlb ? (coherentMoment(coherent)?.view(tlb.part, 'tlb') ?? null) : null;
  return joined(coherent, rows, placesOf(coherent, player.trace(), what));
}

export const selectedPlaces = (coherent: CoherentMachine): Places =>
  highlightedLines(coherent, selection.getState());

export const pointedPlaces = (coherent: CoherentMachine): Places =>
  highlightedLines(coherent, pointed.getState());

/** Calls back when what is selected or pointed at changes. */
export function subscribeHighlights(listener: () => void): () => void {
  const stops = [selection.subscribe(listener), pointed.subscribe(listener)];
  return () => {
    for (const stop of stops) stop();
  };
}

/** Requests the views that a drawing of the machine shows. */
export function useMachineViews(layout: MachineLayout): void {
  useEffect(() => player.want(drawnViews(layout)), [layout]);
}
