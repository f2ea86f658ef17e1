/**
 * How the frame of the page stands: theme, projector mode, which panel is maximised or read as text,
 * what lies over the page. None of it is part of the session, so none of it is undone.
 */
import { createStore } from './store';

export type ThemeChoice = 'system' | 'light' | 'dark';

export interface ShellState {
  readonly themeChoice: ThemeChoice;
  /** The theme in force; canvases paint again when it changes. */
  readonly theme: 'light' | 'dark';
  /** Projector mode: larger type, fewer panels. */
  readonly lecture: boolean;
  readonly reducedMotion: boolean;
  /** Single-letter keys; a user who dictates or shares the keyboard turns them off. */
  readonly singleKeys: boolean;
  /** Id of the panel that fills the page, if any. */
  readonly maximised: string | null;
  /** Ids of the panels that are shown as text. */
  readonly asText: readonly string[];
  /** Id of the panel of slot `overlay` that lies over the page. */
  readonly overlay: string | null;
  /** On a narrow desk the right column is a drawer: whether it is open. A request for one of its panels opens it. */
  readonly drawer: boolean;
  /** The programs of the open machine are shown beside its run. */
  readonly programs: boolean;
  /** Projector blanked, so that the room looks at the speaker. */
  readonly blank: boolean;
  /** Ids of the panels that an embedded page shows, without its bars; null for the whole page. */
  readonly embed: readonly string[] | null;
  /** Quiet words after the title in the top bar, for a view that has no session to speak of. */
  readonly note: string | null;
}

export const shell = createStore<ShellState>({
  themeChoice: 'system',
  theme: 'light',
  lecture: false,
  reducedMotion: false,
  singleKeys: true,
  maximised: null,
  asText: [],
  overlay: null,
  drawer: false,
  programs: false,
  blank: false,
  embed: null,
  note: null,
});

export function toggleMaximised(panel: string): void {
  shell.setState((state) => ({ maximised: state.maximised === panel ? null : panel }));
}

export function toggleAsText(panel: string): void {
  shell.setState(({ asText }) => ({
    asText: asText.includes(panel) ? asText.filter((id) => id !== panel) : [...asText, panel],
  }));
}

export const showOverlay = (panel: string | null): void => shell.setState({ overlay: panel });
