/** More workers share a memory bus to no gain, and each holds its own engine. */
const MOST = 8;

/** Number of workers that a sweep is spread over. */
export const processors = (): number => Math.min(MOST, navigator.hardwareConcurrency || 2);
