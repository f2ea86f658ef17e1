/** The same for what Testing Library waits for. */
import { configure } from '@testing-library/dom';
import { TIME_OUT } from './time-out.mjs';

configure({ asyncUtilTimeout: TIME_OUT });
