/** Reads saved sessions and checks every value of them. */

import { SESSION_VERSION, type SessionDocument } from './document';
import { MAX_FILE_BYTES, readJson } from './jsonText';
import { failure, problem, type Result, success } from './problems';
import { quote } from './suggest';
import { z } from './zod';

const short = z.string().max(200);
const scalar = z.union([short, z.number(), z.boolean()]);
const count = z.number().int().min(0);
const hex = (digits: number) => z.string().regex(new RegExp(`^[0-9a-f]{${digits}}$`));

const sessionDocument: z.ZodType<SessionDocument> = z.strictObject({
  busyard_session: z.literal(SESSION_VERSION),
  scenario: z.union([
    z.strictObject({ id: short }),
    z.strictObject({ text: z.string().max(MAX_FILE_BYTES), name: short }),
  ]),
  edits: z.record(short, scalar),
  commands: z.array(z.strictObject({ at: count, param: short, value: scalar })).max(10_000),
  seed: count.nullable(),
  variables: z.record(short, scalar),
  cursor: z.strictObject({ events: count }),
  view: z.record(short, scalar),
  measured: z.strictObject({ name: short, text: z.string().max(100_000) }).nullable(),
  bookmarks: z.array(count).max(1000).optional(),
  layout: hex(8),
  hash: hex(16).nullable(),
});

export function readDocument(text: string, file = ''): Result<SessionDocument> {
  const json = readJson(text, file);
  if (!json.ok) return json;
  const version = (json.value.value as Record<string, unknown> | null)?.busyard_session;
  if (version !== SESSION_VERSION) {
    const sentence =
      version === undefined
        ? 'This is not a saved session.'
        : `This session has format version ${quote(version)}; this program reads version ${SESSION_VERSION}.`;
    return failure([problem(sentence, '', file)]);
  }
  const parsed = sessionDocument.safeParse(json.value.value);
  if (parsed.success) return success(parsed.data);
  return failure(
    parsed.error.issues.slice(0, 5).map((issue) => {
      const path = issue.path.map((key) => (typeof key === 'symbol' ? '' : key));
      return json.value.problem(path, 'This value does not belong into a saved session.');
    }),
  );
}
