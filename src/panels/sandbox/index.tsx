import { navigate, SANDBOX } from '../../base/route';
import { loadable } from '../../widgets/loadable';
import type { PanelDefinition } from '../../widgets/panels';

export default {
  id: 'sandbox',
  title: 'Sandbox',
  view: 'sandbox',
  slot: 'full',
  component: loadable(() => import('./Sandbox')),
  commands: [
    {
      id: 'sandbox.open',
      title: 'Sandbox: can you make it lie?',
      section: 'Go to',
      keywords: ['sandbox', 'stale', 'coherence', 'play', 'flush', 'purge', 'snoop'],
      run: () => navigate(SANDBOX),
    },
  ],
} satisfies PanelDefinition;
