import { lazy } from 'react';
import type { PanelDefinition } from '../../widgets/panels';

export default {
  id: 'parameters',
  title: 'Parameters',
  tab: 'Costs',
  view: 'lab',
  slot: 'left',
  key: '1',
  component: lazy(() => import('./Parameters')),
} satisfies PanelDefinition;
