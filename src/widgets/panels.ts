/**
 * How a panel joins the page. A folder src/panels/<name>/ has an index.tsx whose default export is one
 * definition or a list of them; the app finds it by itself. The definition is loaded at once, so it stays
 * small: the component is fetched when it is first shown.
 *
 *   export default {
 *     id: 'crossover-chart',
 *     title: 'Curves and their crossings',
 *     view: 'lab',
 *     slot: 'centre',
 *     key: '2',
 *     component: loadable(() => import('./Chart')),
 *   } satisfies PanelDefinition;
 *
 * The component draws itself inside <Panel title=... tools=... twin=...>, which gives it the header, the
 * text twin and the maximise button.
 */
import { type ComponentType, createContext } from 'react';
import type { Command } from '../base/commands';
import type { View } from '../base/route';
import type { Readable } from '../base/store';

/**
 *   left, right   columns beside the evidence; on a phone they become tabs
 *   centre        the first fills the middle; further ones stand side by side below it
 *   dock          stacked along the lower edge; on a phone they stay at the bottom
 *   full          the whole page below the top bar
 *   overlay       a dialog over the page, opened by `showOverlay(id)`
 */
export type Slot = 'left' | 'centre' | 'right' | 'dock' | 'full' | 'overlay';

export interface PanelDefinition {
  readonly id: string;
  readonly title: string;
  /** Views that have this panel; overlays belong to all and leave it out. */
  readonly view?: View | readonly View[];
  readonly slot: Slot;
  /** Digit in the key box of the header; Alt and the digit bring the focus to the panel. */
  readonly key?: string;
  /** Place among the panels of the same slot; default by key, then by id. */
  readonly order?: number;
  // biome-ignore lint/suspicious/noExplicitAny: a panel takes no properties, whatever its own type says
  readonly component: ComponentType<any>;
  /** Height in a dock, in px; and the start height of the first centre panel. */
  readonly height?: number;
  /** Where that depends on what is open: the start height of the first centre panel, or all that a dock panel needs. */
  readonly startHeight?: Readable<number>;
  /** A dock panel that takes what is left when the dock is made taller. */
  readonly grow?: boolean;
  /**
   * In which modes it is shown. Default: centre and full panels always, the others only for work. A panel
   * for `lecture` alone (the caption) stands between centre and dock.
   */
  readonly mode?: 'always' | 'work' | 'lecture';
  /** Whether there is anything to show now; without it the panel is always there. */
  readonly shown?: Readable<boolean>;
  /** It draws or tells the run up to the playhead: covered where that would answer the open question. */
  readonly ofRun?: boolean;
  /** Short name for its tab on a phone. */
  readonly tab?: string;
  /** Where it goes on a phone; default: dock panels `bottom`, the others `tab`. `more` is the menu beside the tabs. */
  readonly phone?: 'tab' | 'more' | 'bottom' | 'top' | 'hidden';
  /** Commands that exist as long as the page does; use `useCommands` for those of a mounted panel. */
  readonly commands?: readonly Command[];
}

/** What the frame tells the panel inside it. */
export interface PanelPlace {
  readonly id: string;
  readonly title?: string;
  readonly key?: string | undefined;
  readonly maximised: boolean;
  readonly asText: boolean;
  readonly canMaximise: boolean;
  readonly ofRun?: boolean | undefined;
}

export const PanelContext = createContext<PanelPlace>({
  id: 'panel',
  maximised: false,
  asText: false,
  canMaximise: false,
});
