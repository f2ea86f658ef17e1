/**
 * A saved session as stored, and the relation between two versions of it.
 *
 * Each page load is an author and numbers its versions: the stamp `t1x.7` is the seventh of author `t1x`. A
 * version has a version vector: for each author the newest number that it descends from. Whatever was lost or
 * late between tab and storage, the vectors tell whether one version contains another or both diverged from a
 * common ancestor.
 */
import type { RecentSession } from '../../base/recent';
import { KINDS, type Kind, presentName } from '../../base/route';

export interface SavedSession extends RecentSession {
  readonly kind: Kind;
  /** It has changes. Work whose changes were all undone is kept for its page only. */
  readonly own: boolean;
  /** Author and number of the version. */
  readonly stamp: string;
  /** Version vector: the versions that this one descends from, itself included. */
  readonly seen: Seen;
  /** The session as a session file. */
  readonly text: string;
}

/** For each author the number of its newest version. */
export type Seen = Readonly<Record<string, number>>;

/** Authors per version vector; the oldest are dropped. More than take part in one piece of work at a time. */
const AUTHORS = 32;

export const stampOf = (author: string, number: number): string => `${author}.${number}`;

/** A stamp without a number is its author's only version. */
function split(stamp: string): readonly [author: string, number: number] {
  const dot = stamp.lastIndexOf('.');
  const number = dot < 0 ? Number.NaN : Number(stamp.slice(dot + 1));
  return Number.isSafeInteger(number) ? [stamp.slice(0, dot), number] : [stamp, 0];
}

function includes(seen: Seen, stamp: string): boolean {
  const [author, number] = split(stamp);
  return Object.hasOwn(seen, author) && (seen[author] ?? 0) >= number;
}

export function descend(seen: Seen, author: string, number: number): Seen {
  const others = Object.entries(seen).filter(([other]) => other !== author);
  return Object.fromEntries([...others, [author, number] as const].slice(-AUTHORS));
}

/** `newer`: may replace the stored version; `older`: is contained in it; `apart`: neither. */
export function relation(
  mine: Pick<SavedSession, 'stamp' | 'seen'>,
  stored: Pick<SavedSession, 'stamp' | 'seen'>,
): 'newer' | 'older' | 'apart' {
  if (includes(mine.seen, stored.stamp)) return 'newer';
  return includes(stored.seen, mine.stamp) ? 'older' : 'apart';
}

/** The first of several versions of a record, or a later one that descends from it. */
export const latest = <T extends Pick<SavedSession, 'stamp' | 'seen'>>(
  versions: readonly T[],
): T | undefined =>
  versions
    .slice(1)
    .reduce<T | undefined>(
      (best, one) =>
        best && one.stamp !== best.stamp && relation(one, best) === 'newer' ? one : best,
      versions[0],
    );

/** The latest time that a Date can hold, in milliseconds. */
const LAST_DATE = 8.64e15;
const LONGEST_TITLE = 200;

/**
 * Reads a stored record. Missing fields get defaults, as far as the list of recent work needs them; whether
 * the text is valid is found when it is opened.
 */
export function readRecord(id: string, found: unknown): SavedSession {
  const fields: Record<string, unknown> = typeof found === 'object' && found ? { ...found } : {};
  const words = (name: string, instead: string) => {
    const value = fields[name];
    return typeof value === 'string' && value.trim() ? value : instead;
  };
  const number = (name: string, most: number) => {
    const value = fields[name];
    return typeof value === 'number' && value >= 0 && value <= most ? value : 0;
  };
  const stamp = words('stamp', 'unknown');
  const scenario = words('scenario', '');
  return {
    id,
    title: words('title', 'Untitled session').slice(0, LONGEST_TITLE),
    system: words('system', '').slice(0, LONGEST_TITLE),
    kind: KINDS.find((kind) => kind === presentName(words('kind', ''))) ?? 'lab',
    ...(scenario ? { scenario } : {}),
    changes: number('changes', Number.MAX_SAFE_INTEGER),
    own: fields.own !== false,
    savedAt: number('savedAt', LAST_DATE),
    stamp,
    seen: readSeen(fields.seen, stamp),
    text: typeof fields.text === 'string' ? fields.text : asText(found),
  };
}

/** Returns strings only: stored data is untrusted. */
function asText(found: unknown): string {
  try {
    return JSON.stringify(found) ?? String(found);
  } catch {
    return String(found);
  }
}

function readSeen(found: unknown, stamp: string): Seen {
  const all = typeof found === 'object' && found ? Object.entries(found) : [];
  const good = all.filter((entry): entry is [string, number] => typeof entry[1] === 'number');
  const [author, number] = split(stamp);
  return Object.fromEntries([...good, [author, number]]);
}
