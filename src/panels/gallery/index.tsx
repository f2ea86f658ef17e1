import { lazy } from 'react';
import type { PanelDefinition } from '../../widgets/panels';

export default {
  id: 'gallery',
  title: 'Gallery',
  view: 'gallery',
  slot: 'full',
  component: lazy(() => import('./Gallery')),
} satisfies PanelDefinition;
