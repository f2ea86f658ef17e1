import { navigate } from '../../base/route';
import { loadable } from '../../widgets/loadable';
import type { PanelDefinition } from '../../widgets/panels';

export default {
  id: 'poke',
  title: 'Sandbox',
  view: 'poke',
  slot: 'full',
  component: loadable(() => import('./Poke')),
  commands: [
    {
      id: 'poke.open',
      title: 'Sandbox: can you make it lie?',
      section: 'Go to',
      keywords: ['sandbox', 'stale', 'coherence', 'play', 'flush', 'purge', 'snoop'],
      run: () => navigate({ view: 'poke', scenario: 'start/poke' }),
    },
  ],
} satisfies PanelDefinition;
