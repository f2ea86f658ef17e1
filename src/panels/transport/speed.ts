import { text, time } from '../../base/format';

/** "500 ns/s": simulated time per second of playback. */
export const speedText = (psPerSecond: number): string => `${text(time(psPerSecond, 3))}/s`;
