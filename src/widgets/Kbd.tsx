import { printed } from '../base/keys';

/** One key press, printed the way the keyboard names it. */
export function Kbd({ keys }: { readonly keys: string }) {
  return <kbd>{printed(keys)}</kbd>;
}
