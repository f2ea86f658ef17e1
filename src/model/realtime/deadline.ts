/** What packets of the open run are allowed. */
import { session } from '../session/session';
import { realTime } from './realtime-roles';

/** The parameter that says what packets are allowed. */
export function deadlineParam() {
  const part = session.getState().machine?.parts[realTime.getState()?.stack ?? -1];
  const param = part?.params.find(({ spec }) => spec.name === 'deadline');
  return part && param ? { part, param } : null;
}

/** What packets are allowed; null where they may take as long as they like. */
export function packetDeadline(): number | null {
  const value = Number(deadlineParam()?.param.value ?? 0);
  return value > 0 ? value : null;
}
