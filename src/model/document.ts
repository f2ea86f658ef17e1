/**
 * A session as a document: which scenario, what was changed, where the needle stands. All else is derived
 * by running it. The same document is the saved file, the autosave and, compressed, the share link.
 */
import { z } from 'zod';
import { readJson } from './jsonText';
import { failure, problem, type Result, success } from './problems';
import { quote } from './suggest';

export const SESSION_VERSION = 1;

const scalar = z.union([z.string().max(200), z.number(), z.boolean()]);
const count = z.number().int().min(0);
const hex = (digits: number) => z.string().regex(new RegExp(`^[0-9a-f]{${digits}}$`));

const command = z.strictObject({
  /** Applied once this many events have been processed. */
  at: count,
  param: z.string().max(200),
  value: scalar,
});

const scenario = z.union([
  z.strictObject({ id: z.string().max(200) }),
  z.strictObject({ text: z.string().max(1_000_000), name: z.string().max(200) }),
]);

const changes = z.strictObject({
  /** "part.param" -> value, in the order in which they were made. */
  edits: z.record(z.string().max(200), scalar),
  commands: z.array(command).max(10_000),
  seed: z.number().int().min(0).nullable(),
});

const sessionDocument = z.strictObject({
  busyard_session: z.literal(SESSION_VERSION),
  scenario,
  ...changes.shape,
  variables: z.record(z.string().max(200), scalar),
  cursor: z.strictObject({ events: count }),
  /** What the page wants to remember of its arrangement. */
  view: z.record(z.string().max(200), scalar),
  /** Measurements of the user's own, as text. */
  measured: z.strictObject({ name: z.string().max(200), text: z.string().max(100_000) }).nullable(),
  /** Engine that made it, and the state it was in: to notice when another engine gives other numbers. */
  layout: hex(8),
  hash: hex(16).nullable(),
});

export type SessionDocument = z.infer<typeof sessionDocument>;
export type Changes = z.infer<typeof changes>;
export type ScenarioRef = z.infer<typeof scenario>;
export type SessionCommand = z.infer<typeof command>;

export const NO_CHANGES: Changes = { edits: {}, commands: [], seed: null };

export const layoutText = (hash: number): string => (hash >>> 0).toString(16).padStart(8, '0');

/** Whether a text looks like a saved session, so that it is read as one. */
export const isSession = (text: string): boolean =>
  text.slice(0, 500).includes('"busyard_session"');

/** The text of a saved session. */
export const writeDocument = (document: SessionDocument): string =>
  `${JSON.stringify(document, null, 2)}\n`;

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
