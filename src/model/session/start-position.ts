/** Where a run that is opened starts: at its beginning while there is a reason, such as an open question. */
let startsAtBeginning = (): boolean => false;

export const startAtBeginning = (): boolean => startsAtBeginning();

/** Registers the reason: asked whenever a run is opened. */
export function startAtBeginningWhile(reason: () => boolean): void {
  startsAtBeginning = reason;
}
