import { lazy } from 'react';
import { showsOneRun } from '../../model/lab-kind';
import type { PanelDefinition } from '../../widgets/panels';
import { timeCommands } from './commands';

export default {
  id: 'transport',
  title: 'Transport',
  view: ['machine', 'lab'],
  slot: 'dock',
  order: 1,
  height: 40,
  shown: showsOneRun,
  component: lazy(() => import('./Transport')),
  commands: timeCommands,
} satisfies PanelDefinition;
