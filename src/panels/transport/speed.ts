import { text, time } from '../../base/format';

/** "500 ns/s": simulated time for each second of the viewer. */
export const speedText = (psPerSecond: number): string => `${text(time(psPerSecond, 3))}/s`;
