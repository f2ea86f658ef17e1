import { lazy } from 'react';
import type { PanelDefinition } from '../../widgets/panels';

export default {
  id: 'report',
  title: 'Reproduction report',
  view: 'report',
  slot: 'full',
  component: lazy(() => import('./Report')),
} satisfies PanelDefinition;
