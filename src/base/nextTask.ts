/** Ends the task of the page: before what follows, the page may answer to its reader. */
export const nextTask = (): Promise<void> => new Promise((done) => setTimeout(done));
