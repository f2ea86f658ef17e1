/** The changing part of a machine's drawing: its state at the playhead. */
import { shell } from '../base/shell-state';
import {
  coherentLog,
  pointedPlaces,
  selectedPlaces,
  useMachineViews,
} from '../controllers/useCoherence';
import { lineInPlay } from '../controllers/useLinePlay';
import { useLiveGroup } from '../controllers/useLiveShapes';
import { hidesMisses, rowConflicts } from '../draw/coherence/tlb-map';
import { worstConflict } from '../draw/machine/adapter';
import { machineNow } from '../draw/machine/machine';
import { momentOf } from '../draw/machine/moment';
import type { Look, MachineLayout } from '../draw/machine/types';
import type { Moment } from '../draw/moment';
import { RUNWAY_LINE } from '../engine/gen/constants';
import { answerMask } from '../model/lesson/answer-mask';
import type { CompiledMachine } from '../model/scenario/compiled';
import { player } from '../model/session/open-run';
import styles from './MachineLive.module.css';

/** The machine at the playhead; null while there is no run. */
export function machineMoment(machine: CompiledMachine): Moment | null {
  const [frame, trace] = [player.frame(), player.trace()];
  if (!frame || !trace || frame.counters.length !== machine.parts.length) return null;
  const masks = answerMask.getState()?.masks;
  return momentOf({ parts: machine.parts, frame, trace, now: player.now(), masks });
}

/** The reader's selection, and the conflicts of TLB rows found in the trace. */
function highlightsNow({ roles }: MachineLayout, now: Moment, scale: number): Look {
  const log = roles.tlb && !hidesMisses(roles.tlb, now) ? coherentLog(roles) : null;
  const event = lineInPlay(roles);
  return {
    scale,
    played: event && { part: event.part, address: event.line * RUNWAY_LINE },
    selected: selectedPlaces(roles),
    pointed: pointedPlaces(roles),
    conflictRow: log ? worstConflict(rowConflicts(roles, log, player.now().seq)) : null,
  };
}

interface MachineLiveProps {
  readonly layout: MachineLayout;
  readonly machine: CompiledMachine;
  readonly scale?: number;
}

/** Written into the SVG without React. */
export function MachineLive({ layout, machine, scale = 1 }: MachineLiveProps) {
  useMachineViews(layout);
  const group = useLiveGroup(() => {
    const now = machineMoment(machine);
    const still = shell.getState().reducedMotion;
    return now ? machineNow(layout, now, still, highlightsNow(layout, now, scale)) : [];
  });
  return <g ref={group} className={styles.live} />;
}
