/** Heading of the top bar: system, title and subtitle. */
import { count } from '../base/format';
import type { Route } from '../base/route';
import { playlistAt } from '../model/lesson/playlists';
import type { OpenSession } from './opening/open-document';

export interface Heading {
  readonly system: string | null;
  readonly title: string;
  readonly note: string | null;
}

export function pageTitleFor(
  place: Route,
  session: OpenSession | null,
  note: string | null,
): Heading {
  const { view } = place;
  if (view === 'gallery') return { system: null, title: 'Gallery', note };
  if (view === 'report') return { system: null, title: 'Reproduction report', note };
  if (view === 'prove') return { system: null, title: 'Prove it, break it', note };
  if (view === 'lessons') return { system: null, title: 'Map of lessons', note };
  if (view === 'glossary') return { system: null, title: 'Glossary', note };
  if (!session) return { system: null, title: 'Opening', note: null };
  const { system, title, changes, kind } = session;
  const since = kind === 'lab' ? 'calibration' : 'preset';
  if (view === 'worksheet') return { system, title, note: 'on paper' };
  if (view === 'build') return { system, title, note: note ?? 'as you build it' };
  const edited =
    changes > 0 && kind !== 'sandbox' ? `${count(changes, 'change')} since ${since}` : null;
  const list = playlistAt(place);
  const item = list ? `lesson ${list.at + 1} of ${list.items.length}` : null;
  return { system, title, note: note ?? edited ?? item };
}
