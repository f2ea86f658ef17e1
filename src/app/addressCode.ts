/**
 * What the address says of the changes to the open session: a code like that of a share link, so that an
 * address that is copied from the bar brings them along. Made anew a moment after each change.
 */
import { createStore } from '../base/store';
import { currentDocument, saveText } from '../model/session';
import { encodeDocument } from '../model/share';
import { session } from './session';

/** Null while nothing was changed, and where the code would be longer than addresses should be. */
export const addressCode = createStore<string | null>(null);

const QUIET_MS = 300;
const LONGEST_TEXT = 64_000;
const LONGEST_CODE = 8000;

let timer: ReturnType<typeof setTimeout> | undefined;

async function encode(): Promise<void> {
  const of = session.getState();
  const code = saveText().length > LONGEST_TEXT ? null : await encodeDocument(currentDocument());
  if (of === session.getState())
    addressCode.setState(code && code.length <= LONGEST_CODE ? code : null, true);
}

export function startAddressCode(): void {
  session.subscribe((now, before) => {
    if (now?.opened === before?.opened && now?.revision === before?.revision) return;
    clearTimeout(timer);
    if (now?.opened !== before?.opened || !now?.own) addressCode.setState(null, true);
    if (now?.own) timer = setTimeout(() => void encode(), QUIET_MS);
  });
}
