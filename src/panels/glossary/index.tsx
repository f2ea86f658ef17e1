import { loadable } from '../../widgets/loadable';
import type { PanelDefinition } from '../../widgets/panels';

export default {
  id: 'glossary',
  title: 'Glossary',
  view: 'glossary',
  slot: 'full',
  component: loadable(() => import('./Glossary')),
} satisfies PanelDefinition;
