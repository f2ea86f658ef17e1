/**
 * How a panel joins the page. A folder src/panels/<name>/ has an index.tsx whose default export is one
 * definition or a list of them; the app finds it. The definition is part of the first load, so it stays
 * small; the component is loaded when first shown.
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
 * The component renders itself inside <Panel title=... tools=... textAlternative=...>, which adds the header,
 * the text alternative and the maximise button.
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
  /** Views that have this panel. Overlays leave it out: they belong to all. */
  readonly view?: View | readonly View[];
  readonly slot: Slot;
  /** Digit in the key box of the header; Alt and the digit focus the panel. */
  readonly key?: string;
  /** Order among the panels of the slot; default by key, then by id. */
  readonly order?: number;
  // biome-ignore lint/suspicious/noExplicitAny: a panel takes no properties, whatever its own type says
  readonly component: ComponentType<any> & { readonly preload?: () => Promise<unknown> };
  /** Height in a dock, in px; for the first centre panel the initial height. */
  readonly height?: number;
  /**
   * The same where it depends on the open document: initial height of the first centre panel, or full height
   * of a dock panel.
   */
  readonly startHeight?: Readable<number>;
  /** Least width that the right column has while it is there, in px. */
  readonly width?: number;
  /** A dock panel that takes the extra height when the dock grows. */
  readonly grow?: boolean;
  /**
   * Modes in which it is shown. Default: centre and full panels always, the others only in work mode. A panel
   * for `lecture` alone (the caption) is between centre and dock.
   */
  readonly mode?: 'always' | 'work' | 'lecture';
  /** Id of another centre panel: if one of the two is the first, they are tabs in its place. */
  readonly joins?: string;
  /** Whether there is anything to show; without it the panel is always shown. */
  readonly shown?: Readable<boolean>;
  /** Short name for its tab on a phone. */
  readonly tab?: string;
  /**
   * Place on a phone; default: dock panels `bottom`, the others `tab`. `more` is the menu beside the tabs.
   */
  readonly phone?: 'tab' | 'more' | 'bottom' | 'top' | 'hidden';
  /** Commands that exist while the page does; `useCommands` is for those of a mounted panel. */
  readonly commands?: readonly Command[];
}

/** What the frame passes to the panel in it. */
export interface PanelPlace {
  readonly id: string;
  readonly title?: string;
  readonly key?: string | undefined;
  readonly maximised: boolean;
  readonly asText: boolean;
  readonly canMaximise: boolean;
  /** Without a header, in an embedded page. */
  readonly bare?: boolean;
}

export const PanelContext = createContext<PanelPlace>({
  id: 'panel',
  maximised: false,
  asText: false,
  canMaximise: false,
});
