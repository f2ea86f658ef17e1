import { createStore } from '../../base/store';

/** Whether the explanation was asked for, and whether it tells causes or effects. */
export const whyState = createStore({ open: false, effects: false });
