/** Host time in milliseconds, for the duration of the report. */
export const clock = (): number => performance.now();
