/** Whether the drawing of the machine is on the screen with the meaning of the letters of line states. */
import { createStore } from '../base/store';

export const stateLegend = createStore({ shown: false });
