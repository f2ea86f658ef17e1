/** Resolves paths such as "part.param", "part.counter" and "part.track"; returns a message if a name is missing. */

import { hint, quote } from '../../base/suggest';
import type { PartType } from '../../engine/manifest';

interface Named {
  readonly name: string;
}

interface PartLike extends Named {
  readonly type: PartType;
}

export interface Found<P, T> {
  readonly part: P;
  readonly partIndex: number;
  readonly item: T;
  readonly index: number;
}

function find<P extends PartLike, T extends Named>(
  parts: readonly P[],
  path: string,
  what: string,
  list: (type: PartType) => readonly T[],
): Found<P, T> | string {
  const dot = path.indexOf('.');
  const [partName, name] = [path.slice(0, Math.max(0, dot)), path.slice(dot + 1)];
  if (dot < 0) return `${quote(path)} should be "part.${what}".`;
  const partIndex = parts.findIndex((part) => part.name === partName);
  const part = parts[partIndex];
  if (!part) {
    const names = parts.map((one) => one.name);
    return `There is no part ${quote(partName)}${hint(partName, names)}`;
  }
  const items = list(part.type);
  const index = items.findIndex((item) => item.name === name);
  const item = items[index];
  if (item) return { part, partIndex, item, index };
  const names = items.map((one) => one.name);
  return `${quote(partName)} has no ${what} ${quote(name)}${hint(name, names)}`;
}

export const findParam = <P extends PartLike>(parts: readonly P[], path: string) =>
  find(parts, path, 'parameter', (type) => type.params);

export const findCounter = <P extends PartLike>(parts: readonly P[], path: string) =>
  find(parts, path, 'counter', (type) => type.counters);

export const findTrack = <P extends PartLike>(parts: readonly P[], path: string) =>
  find(parts, path, 'track', (type) => type.tracks);

/** Whether a part's name matches a pattern with one *, such as "cpu*". */
export function matchesPattern(name: string, pattern: string): boolean {
  const [before = '', after = ''] = pattern.split('*');
  return (
    name.length >= before.length + after.length && name.startsWith(before) && name.endsWith(after)
  );
}

/** The key of a part's workload: its name, otherwise the first matching pattern. */
export function workloadKey(
  workload: Readonly<Record<string, unknown>>,
  part: string,
): string | undefined {
  if (Object.hasOwn(workload, part)) return part;
  return Object.keys(workload).find((key) => key.includes('*') && matchesPattern(part, key));
}
