import { printed } from '../base/keys';

/** One key press, written as on the keyboard. */
export function Kbd({ keys }: { readonly keys: string }) {
  return <kbd>{printed(keys)}</kbd>;
}
