/** Recordings of programs and systems, recognized by how their text begins. */

import { sourceOf } from '../pools/map-trace';
import { openRecording, UnreadableFile } from '../pools/recording-bytes';
import { isGttp } from '../scenario/gttp-import';

/** Operations of the page allocator with its answers; mappings that Linux recorded; memory references; signals. */
export type RecordingKind = 'allocator' | 'mappings' | 'references' | 'waves';

const ALLOCATOR = /^\s*\{\s*"t"\s*:\s*"init"/;
const WAVES = /^\s*\$(?:comment|date|scope|timescale|var|version)\b/;
const MAPPINGS =
  /^# tracer:|^\s*\S.*-\d+\s+\[\d{3,}\]\s|(?:^|[\s:])(?:(?:un)?map:\s+(?:IOMMU:|iova)|(?:dma_\w+|io_page_fault):\s)|\biommu: (?:un)?map/im;
/** Dinero's din, and what Valgrind's lackey prints. */
const REFERENCE = /^(?:[012][ \t]+(?:0x)?[0-9a-f]{1,16}\b|(?:I | [SLM]) +[0-9a-f]{1,16},\d)/i;
const REMARK = /^\s*(?:#|==|$)/;

function isReferences(text: string): boolean {
  // The last line may be cut.
  const lines = text.split(/\r?\n/).filter((line) => !REMARK.test(line));
  const whole = lines.length > 1 ? lines.slice(0, -1) : lines;
  return whole.filter((line) => REFERENCE.test(line)).length * 2 > whole.length;
}

function kindOfText(text: string): RecordingKind | null {
  if (ALLOCATOR.test(text)) return 'allocator';
  if (WAVES.test(text)) return 'waves';
  if (isGttp(text) || /^\s*\{/.test(text)) return null;
  if (MAPPINGS.test(text)) return 'mappings';
  return isReferences(text) ? 'references' : null;
}

/**
 * The kind of a recording, by the first bytes of its file, which may be compressed with gzip; null if it is none.
 * @throws {UnreadableFile} for a recording in a form that is not text
 */
export function recordingKind(beginning: Uint8Array): RecordingKind | null {
  try {
    return kindOfText(new TextDecoder().decode(openRecording(sourceOf(beginning)).beginning));
  } catch (error) {
    // Any picture is a binary file.
    if (error instanceof UnreadableFile && !error.message.includes('is a binary file;'))
      throw error;
    return null;
  }
}
