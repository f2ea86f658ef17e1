/** Ends the task at hand: what follows is done in another one, and the page may answer its reader before it. */
export const nextTask = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));
