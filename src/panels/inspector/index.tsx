import { lazy } from 'react';
import type { PanelDefinition } from '../../widgets/panels';

export default {
  id: 'inspector',
  title: 'Inspector',
  view: 'machine',
  slot: 'right',
  key: '5',
  tab: 'Parts',
  component: lazy(() => import('./Inspector')),
} satisfies PanelDefinition;
