/** Opens a recording of another program: allocator traces, mappings of Linux, memory references, signals. */
import { bytes, text } from '../../base/format';
import { showOverlay } from '../../base/shell-state';
import { UnreadableFile } from '../../model/pools/recording-bytes';
import { recording } from '../../model/report/recording';
import { recordingKind } from '../../model/report/recording-kind';

/** Recordings are streamed; a larger one would take hours. */
const LARGEST = 2 ** 30;

/** Enough to recognize a compressed file by what is in it. */
const BEGINNING = 1 << 16;

/** Whether a file is a recording, which is then shown; or the reason why this one cannot be. */
export async function openRecording(file: File): Promise<boolean | string> {
  const beginning = new Uint8Array(await file.slice(0, BEGINNING).arrayBuffer());
  try {
    const kind = recordingKind(beginning);
    if (kind === null) return false;
    if (file.size > LARGEST) return `It is larger than ${text(bytes(LARGEST))}.`;
    recording.setState({ shown: { file, kind } });
    showOverlay('recording');
    return true;
  } catch (error) {
    if (error instanceof UnreadableFile) return `It ${error.message}`;
    throw error;
  }
}
