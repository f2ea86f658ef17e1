/** Tells whether a request is still the latest. A slow one must not replace what was opened after it. */
export type IsLatest = () => boolean;

let taken = 0;

/** Takes a token before waiting; call it afterwards to check that no newer request exists. */
export function newRequest(): IsLatest {
  const mine = ++taken;
  return () => mine === taken;
}
