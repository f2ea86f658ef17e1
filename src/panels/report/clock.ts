/** Milliseconds of the host, to say how long the report took. */
export const clock = (): number => performance.now();
