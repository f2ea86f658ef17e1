import { lazy } from 'react';
import type { PanelDefinition } from '../../widgets/panels';

export default {
  id: 'keys',
  title: 'Keys',
  slot: 'overlay',
  component: lazy(() => import('./Keys')),
} satisfies PanelDefinition;
