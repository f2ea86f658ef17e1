/**
 * The changes of the open session as a code in the address, like that of a share link, so that an address
 * copied from the address bar contains them. Updated shortly after each change.
 */
import { runCommand } from '../../base/commands';
import { integer } from '../../base/format';
import { closeBanner, showBanner } from '../../base/notices';
import { parseFragment } from '../../base/route';
import { createStore } from '../../base/store';
import { sessionModule } from '../../model/session/session-module';
import { session } from '../opening/open-document';

/** Null if nothing was changed, or if the code is too long for an address. */
export const addressCode = createStore<string | null>(null);

const QUIET_MS = 300;
const LONGEST_TEXT = 64_000;
const LONGEST_CODE = 8000;

let timer: ReturnType<typeof setTimeout> | undefined;

/** Shown once per work, until its changes fit again. */
const NOTICE = 'address-code';
let reportedOpening: number | null = null;

function reportTooLong(opened: number): void {
  if (reportedOpening === opened) return;
  reportedOpening = opened;
  showBanner({
    id: NOTICE,
    kind: 'note',
    title: 'The address no longer contains your changes',
    detail: `They take more than the ${integer(LONGEST_CODE)} characters that an address may have. Save them to a file instead.`,
    actions: [{ title: 'Save as a file', run: () => runCommand('file.save') }],
  });
}

function clearReport(): void {
  reportedOpening = null;
  closeBanner(NOTICE);
}

async function encode(): Promise<void> {
  const of = session.getState();
  const { currentDocument, encodeDocument, saveText } = sessionModule();
  const code = saveText().length > LONGEST_TEXT ? null : await encodeDocument(currentDocument());
  if (!of || of !== session.getState()) return;
  const fits = code !== null && code.length <= LONGEST_CODE;
  addressCode.setState(fits ? code : null, true);
  if (fits) clearReport();
  else reportTooLong(of.opened);
}

/** After a reload the address keeps its code until the new one is made: it may be copied at any moment. */
function codeInAddress(): string | null {
  const address = parseFragment(location.hash);
  return (address.kind === 'route' && address.code) || null;
}

export function startAddressCode(): void {
  session.subscribe((now, before) => {
    if (now?.opened === before?.opened && now?.revision === before?.revision) return;
    clearTimeout(timer);
    if (now?.opened !== before?.opened || !now?.own) {
      addressCode.setState(now?.own ? codeInAddress() : null, true);
      clearReport();
    }
    if (now?.own) timer = setTimeout(() => void encode(), QUIET_MS);
  });
}
