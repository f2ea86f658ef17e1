/** Categories of processor time, with the states that each includes. */
export const SHARES = [
  { kind: 'network', title: 'the network', states: ['interrupt', 'protocol', 'message'] },
  { kind: 'copy', title: 'copies', states: ['carry'] },
  { kind: 'work', title: 'applications', states: ['decode', 'work'] },
  { kind: 'kernel', title: 'kernel and switches', states: ['kernel', 'switch', 'wake'] },
] as const;

/** The counter of a processor's time in a state. */
export const timeCounter = (state: string): string => `in_${state}`;
