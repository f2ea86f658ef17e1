import type { Command } from '../../base/commands';
import { fetched } from '../../base/retry-import';
import { route } from '../../base/route';
import { loadable } from '../../widgets/loadable';
import type { PanelDefinition } from '../../widgets/panels';

const inRun = () => ['lab', 'machine'].includes(route.getState().view);

const open = (how: 'published' | 'other') => async () => {
  const { openComparison } = await fetched(() => import('./open'));
  openComparison(how);
};

const commands: readonly Command[] = [
  {
    id: 'compare.other',
    title: 'Two runs in lockstep',
    keywords: ['compare', 'difference'],
    unavailable: 'open a machine or a lab first',
    section: 'Compare',
    menu: 'compare',
    keys: ['C'],
    when: inRun,
    run: open('other'),
  },
  {
    id: 'compare.published',
    title: 'With the machine as published',
    keywords: ['compare', 'difference'],
    unavailable: 'open a machine or a lab first',
    section: 'Compare',
    menu: 'compare',
    when: inRun,
    run: open('published'),
  },
];

export default {
  id: 'compare',
  title: 'Compare',
  view: 'compare',
  slot: 'full',
  component: loadable(() => import('./Compare')),
  commands,
} satisfies PanelDefinition;
