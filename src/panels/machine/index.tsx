import { lazy } from 'react';
import type { PanelDefinition } from '../../widgets/panels';

export default {
  id: 'machine',
  title: 'Machine',
  view: 'machine',
  slot: 'centre',
  key: '2',
  height: 398,
  component: lazy(() => import('./Machine')),
} satisfies PanelDefinition;
