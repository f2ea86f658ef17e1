/**
 * A saved session as the storage holds it, and how two versions of one stand to each other.
 *
 * Each page load is an author and numbers its versions: the stamp `t1x.7` is the seventh of author `t1x`.
 * A version carries the newest number that it descends from for each author. So it can be told, whatever
 * was lost or came late between tab and storage, whether one version contains another or both went their
 * own ways from a common beginning.
 */
import type { RecentSession } from '../../base/recent';
import { KINDS, type Kind } from '../../base/route';

export interface SavedSession extends RecentSession {
  readonly kind: Kind;
  /** There is something of the user's in it; what was undone to the last is kept for its page only. */
  readonly own: boolean;
  /** Author and number of the version. */
  readonly stamp: string;
  /** The versions that this one descends from, itself included. */
  readonly seen: Seen;
  /** The session as a file holds it. */
  readonly text: string;
}

/** For each author the number of its newest version. */
export type Seen = Readonly<Record<string, number>>;

/** More authors than take part in one piece of work at a time; the oldest are left out. */
const AUTHORS = 32;

export const stampOf = (author: string, number: number): string => `${author}.${number}`;

/** A stamp without a number is the only version of its author. */
function split(stamp: string): readonly [author: string, number: number] {
  const dot = stamp.lastIndexOf('.');
  const number = dot < 0 ? Number.NaN : Number(stamp.slice(dot + 1));
  return Number.isSafeInteger(number) ? [stamp.slice(0, dot), number] : [stamp, 0];
}

function masks(seen: Seen, stamp: string): boolean {
  const [author, number] = split(stamp);
  return Object.hasOwn(seen, author) && (seen[author] ?? 0) >= number;
}

export function descend(seen: Seen, author: string, number: number): Seen {
  const others = Object.entries(seen).filter(([other]) => other !== author);
  return Object.fromEntries([...others, [author, number] as const].slice(-AUTHORS));
}

/** Whether a version may take the place of the stored one, is contained in it, or neither. */
export function relation(
  mine: Pick<SavedSession, 'stamp' | 'seen'>,
  stored: Pick<SavedSession, 'stamp' | 'seen'>,
): 'newer' | 'older' | 'apart' {
  if (masks(mine.seen, stored.stamp)) return 'newer';
  return masks(stored.seen, mine.stamp) ? 'older' : 'apart';
}

/** The first of some versions of a record, unless another goes on from it: then that one. */
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

/** The last moment that a date can name. */
const LAST_DATE = 8.64e15;
const LONGEST_TITLE = 200;

/**
 * A record as it was found. What is missing is made up for as far as the list of recent work needs it; whether the
 * text opens is seen when it is opened.
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
    kind: KINDS.find((kind) => kind === fields.kind) ?? 'lab',
    ...(scenario ? { scenario } : {}),
    changes: number('changes', Number.MAX_SAFE_INTEGER),
    own: fields.own !== false,
    savedAt: number('savedAt', LAST_DATE),
    stamp,
    seen: readSeen(fields.seen, stamp),
    text: typeof fields.text === 'string' ? fields.text : asText(found),
  };
}

/** Its contents are untrusted. */
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
