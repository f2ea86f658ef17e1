/**
 * The panels beside a lesson. A scenario may name those that its lesson needs; the others come when a step of the lesson
 * or the reader asks for them.
 */
import { createStore, derive, type Readable } from '../../base/store';
import { session } from '../session/session';

/** Panels that every lesson has. */
const ALWAYS: readonly string[] = ['lesson', 'caption', 'machine', 'transport', 'lanes'];

/** Panels asked for since a session was opened; null for all of them. */
interface Asked {
  readonly opened: number;
  readonly panels: readonly string[] | null;
}

const asked = createStore<Asked>({ opened: -1, panels: [] });

/** What was asked for in the open session. */
function askedNow(): readonly string[] | null {
  const { opened, panels } = asked.getState();
  return opened === session.getState().opened ? panels : [];
}

let known: { readonly key: string; readonly ids: ReadonlySet<string> } | null = null;

/** The same set for the same names. */
function panelsNamed(names: readonly string[]): ReadonlySet<string> {
  const key = names.join(' ');
  if (known?.key !== key) known = { key, ids: new Set([...ALWAYS, ...names]) };
  return known.ids;
}

/** Panels that are shown; null if the scenario names none, or all were asked for. */
export const lessonPanels: Readable<ReadonlySet<string> | null> = derive([session, asked], () => {
  const { data, lesson } = session.getState();
  const named = data?.view.panels;
  const more = askedNow();
  if (!named || lesson === null || more === null) return null;
  return panelsNamed([...named, ...more]);
});

const ask = (panels: readonly string[] | null): void =>
  asked.setState({ opened: session.getState().opened, panels });

export const showAllPanels = (): void => ask(null);

/** The panel that a step of the lesson has opened last, and how often one was opened. */
export const openedPanel = createStore<{ readonly id: string | null; readonly turn: number }>({
  id: null,
  turn: 0,
});

export function openLessonPanel(id: string): void {
  const more = askedNow();
  if (more && !more.includes(id)) ask([...more, id]);
  openedPanel.setState(({ turn }) => ({ id, turn: turn + 1 }));
}
