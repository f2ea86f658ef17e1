/** Initial position of a run: the beginning if there is a reason, such as an open question. */
let startsAtBeginning = (): boolean => false;

export const startAtBeginning = (): boolean => startsAtBeginning();

/** Registers the reason, which is checked whenever a run is opened. */
export function startAtBeginningWhile(reason: () => boolean): void {
  startsAtBeginning = reason;
}
