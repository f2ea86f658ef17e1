import { lazy } from 'react';
import type { PanelDefinition } from '../../widgets/panels';

export default {
  id: 'prove',
  title: 'Prove it, break it',
  view: 'prove',
  slot: 'full',
  component: lazy(() => import('./Prove')),
} satisfies PanelDefinition;
