/** The recording that the page shows beside its session, if any. It is read where it lies, and never kept. */
import { createStore } from '../../base/store';
import type { RecordingKind } from './recording-kind';

export interface Recording {
  readonly file: File;
  readonly kind: RecordingKind;
}

export const recording = createStore<{ readonly shown: Recording | null }>({ shown: null });
