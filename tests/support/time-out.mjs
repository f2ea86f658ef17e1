/** Milliseconds that a test, a hook or a wait may take: a machine that is busy with something else takes its time. */
export const TIME_OUT = 60_000;
