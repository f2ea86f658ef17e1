import { showsOneRun } from '../../controllers/machine-features';
import { loadable } from '../../widgets/loadable';
import type { PanelDefinition } from '../../widgets/panels';
import { timeCommands } from './commands';

export default {
  id: 'transport',
  title: 'Transport',
  view: ['machine', 'lab', 'build'],
  slot: 'dock',
  order: 1,
  height: 40,
  shown: showsOneRun,
  component: loadable(() => import('./Transport')),
  commands: timeCommands,
} satisfies PanelDefinition;
