/** What the top bar says about the place: system, title, and a quiet remark. */
import { count } from '../base/format';
import type { Route } from '../base/route';
import type { OpenSession } from './open-document';

export interface Heading {
  readonly system: string | null;
  readonly title: string;
  readonly remark: string | null;
}

export function pageTitleFor(
  { view }: Route,
  session: OpenSession | null,
  remark: string | null,
): Heading {
  if (view === 'gallery') return { system: null, title: 'Gallery', remark };
  if (view === 'report') return { system: null, title: 'Reproduction report', remark };
  if (view === 'prove') return { system: null, title: 'Prove it, break it', remark };
  if (view === 'lessons') return { system: null, title: 'Map of lessons', remark };
  if (view === 'glossary') return { system: null, title: 'Glossary', remark };
  if (!session) return { system: null, title: 'Opening', remark: null };
  const { system, title, changes, kind } = session;
  const since = kind === 'lab' ? 'calibration' : 'preset';
  if (view === 'build') return { system, title, remark: remark ?? 'as you build it' };
  const edited =
    changes > 0 && kind !== 'poke' ? `${count(changes, 'change')} since ${since}` : null;
  return { system, title, remark: remark ?? edited };
}
