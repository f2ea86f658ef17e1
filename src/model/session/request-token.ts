/** Only the newest opening counts: a slow one must not replace what was opened after it. */
export type IsLatest = () => boolean;

let taken = 0;

/** Whoever begins to open something takes a turn, before anything is waited for; it tells whether it is still the newest. */
export function newRequest(): IsLatest {
  const mine = ++taken;
  return () => mine === taken;
}
