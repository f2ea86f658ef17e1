/** Parses saved sessions and validates every value. */

import { quote } from '../../base/suggest';
import { MAX_FILE_BYTES, readJson } from '../scenario/json-text';
import { MAX } from '../scenario/limits';
import { failure, problem, type Result } from '../scenario/problems';
import { only } from '../scenario/schema';
import { checkedAs } from '../scenario/shape-errors';
import { z } from '../scenario/zod';
import {
  MAX_SESSION_BYTES,
  MOST_FORKS,
  NAME_LENGTH,
  SESSION_VERSION,
  type SessionDocument,
} from './document';

const MAX_ENTRIES = 10_000;

const short = z.string().max(200);
const name = z.string().max(NAME_LENGTH);
/** The text of a question or option. */
const words = z.string().max(2000);
const scalar = z.union([short, z.number(), z.boolean()], {
  error: 'A value is a string of at most 200 characters, a number, true or false.',
});
const fileText = z.string().max(MAX_FILE_BYTES);
/** Values by name. The limit is that of commands; scenarios have far fewer names. */
const named = <T extends z.ZodType>(value: T, name = short) =>
  z.record(name, value).refine((all) => Object.keys(all).length <= MAX_ENTRIES, {
    error: `There are at most ${MAX_ENTRIES} entries.`,
  });
const count = z.number().int().min(0);
const hex = (digits: number) =>
  z
    .string()
    .regex(new RegExp(`^[0-9a-f]{${digits}}$`), `These are ${digits} digits of 0 to 9 and a to f.`);

const changes = {
  edits: named(scalar),
  commands: z.array(only({ at: count, param: short, value: scalar })).max(MAX_ENTRIES),
  seed: count.nullable(),
  programs: named(z.array(named(scalar)).max(MAX.rows)).optional(),
  built: only({ text: fileText, good: fileText.optional() }).optional(),
  lesson: fileText.optional(),
  variables: named(scalar),
};

const fork = only({ name, timePs: count, events: count, changes: only(changes) });

const sessionDocument: z.ZodType<SessionDocument> = only({
  busyard_session: z.literal(SESSION_VERSION),
  scenario: z.union([only({ id: short }), only({ text: fileText, name })], {
    error:
      'The scenario is an object: the "id" of an included one, or the "text" and "name" of its file.',
  }),
  ...changes,
  cursor: only({ events: count }),
  view: named(scalar),
  measured: only({ name, text: z.string().max(100_000) }).nullable(),
  bookmarks: z.array(count).max(1000).optional(),
  forks: z.array(fork).max(MOST_FORKS).optional(),
  answers: named(
    only({
      option: words.nullable(),
      right: z.boolean().nullable(),
      second: words.optional(),
      happened: words.optional(),
      order: z.array(words).max(MAX_ENTRIES).optional(),
    }),
    words,
  ).optional(),
  layout: hex(8),
  hash: hex(16).nullable(),
});

export function readDocument(text: string, file = ''): Result<SessionDocument> {
  const json = readJson(text, file, MAX_SESSION_BYTES);
  if (!json.ok) return json;
  const version = (json.value.value as Record<string, unknown> | null)?.busyard_session;
  if (version !== SESSION_VERSION) {
    const sentence =
      version === undefined
        ? 'This is not a saved session.'
        : `This session has format version ${quote(version)}; this program reads version ${SESSION_VERSION}.`;
    return failure([
      version === undefined
        ? problem(sentence, '', file)
        : json.value.problem(['busyard_session'], sentence),
    ]);
  }
  return checkedAs(json.value, json.value.value, sessionDocument);
}
