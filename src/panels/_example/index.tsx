/**
 * A template for panels: `cp -r src/panels/_example src/panels/my-panel`, then change id, title,
 * component and test. It is compiled with everything else, but folders that begin with `_` are not part of the page.
 */
import { loadable } from '../../widgets/loadable';
import type { PanelDefinition } from '../../widgets/panels';

export default {
  id: 'example',
  title: 'Example',
  view: 'machine',
  slot: 'right',
  component: loadable(() => import('./Example')),
} satisfies PanelDefinition;
