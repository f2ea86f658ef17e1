import { lazy } from 'react';
import type { PanelDefinition } from '../../widgets/panels';

export default {
  id: 'transport',
  title: 'Transport',
  view: 'machine',
  slot: 'dock',
  order: 1,
  height: 40,
  component: lazy(() => import('./Transport')),
} satisfies PanelDefinition;
