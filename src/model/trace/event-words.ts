/** The query of the event list. */
import { createStore } from '../../base/store';

export const eventWords = createStore({ words: '' });
