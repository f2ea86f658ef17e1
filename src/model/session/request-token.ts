/** Only the newest opening counts: a slow one must not replace what was opened after it. */
export type IsLatest = () => boolean;

let taken = 0;

/** Every opening takes a request token before it waits; the token says whether it is still the newest. */
export function newRequest(): IsLatest {
  const mine = ++taken;
  return () => mine === taken;
}
