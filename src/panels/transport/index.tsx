import { lazy } from 'react';
import type { PanelDefinition } from '../../widgets/panels';
import { timeCommands } from './commands';

export default {
  id: 'transport',
  title: 'Transport',
  view: 'machine',
  slot: 'dock',
  order: 1,
  height: 40,
  component: lazy(() => import('./Transport')),
  commands: timeCommands,
} satisfies PanelDefinition;
