/** What a processor's time goes into, and the states it is in then. */
export const SHARES = [
  { kind: 'network', title: 'the network', states: ['interrupt', 'protocol', 'message'] },
  { kind: 'copy', title: 'copies', states: ['carry'] },
  { kind: 'work', title: 'applications', states: ['decode', 'work'] },
  { kind: 'kernel', title: 'kernel and switches', states: ['kernel', 'switch', 'wake'] },
] as const;
