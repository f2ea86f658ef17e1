import { createStore } from '../../base/store';

/** Whether the explanation is open, and whether it shows causes or effects. */
export const whyState = createStore({ open: false, effects: false });
